import type { AccountEvent } from '../../account/answers.ts';
import { isoTimestamp } from '../../lib/iso-timestamp.ts';
import type { Database } from '../statements.ts';
import type { AccountDatabase } from './transaction.ts';

export type EventAction =
  | 'account_opened'
  | 'signed_in'
  | 'signed_out'
  | 'signed_out_everywhere'
  | 'session_revoked'
  | 'confirmed'
  | 'wallet_added'
  | 'wallet_removed'
  | 'passkey_added'
  | 'passkey_removed'
  | 'invitation_accepted'
  | 'suspended'
  | 'reinstated'
  | 'plan_changed'
  | 'operator_changed_account'
  | 'operator_revoked_key';

/** Adds an event of the account, in the transaction of the change. */
export async function addEvent(
  database: Database,
  accountId: number,
  action: EventAction,
  actor: { readonly name: string; readonly ip: string | null },
  detail: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await database.query(
    'insert into account_events (account_id, actor, action, detail, ip) values ($1, $2, $3, $4, $5)',
    [accountId, actor.name, action, JSON.stringify(detail), actor.ip],
  );
}

// The events of the account and those of its keys, each with an id that is unique among both.
const listEvents = `
  with found as (
    select 'account' as origin, id, at, action, actor, detail, ip from account_events where account_id = $1
    union all
    select 'key', a.id, a.at, 'key_' || a.action, a.actor,
           jsonb_build_object('key', k.name, 'prefix', k.prefix) || (a.detail - 'ip'), a.detail ->> 'ip'
    from api_key_audit a join api_keys k on k.id = a.key_id where k.account_id = $1
  )
  select origin || '-' || id as id, ${isoTimestamp('at')} as at, action, actor, detail, ip from found
  where $2::text is null
    or (found.at, origin, found.id) < (select b.at, b.origin, b.id from found b where b.origin || '-' || b.id = $2)
  order by found.at desc, origin desc, found.id desc limit $3`;

export function createEventStore({ run }: AccountDatabase) {
  return {
    /** @param before the id of an event; only older ones are returned. Null: start with the newest */
    list: (accountId: number, limit: number, before: string | null) =>
      run(async (database) => (await database.query<AccountEvent>(listEvents, [accountId, before, limit])).rows),
  };
}
