import type { AccountEvent } from '../../account/answers.ts';
import { mergeEvents, type NumberedEvent, newestEvents } from '../../account/events.ts';
import type { EventStore } from '../../account/ports.ts';
import { isoTimestamp } from '../../lib/iso-timestamp.ts';
import type { Database } from '../statements.ts';
import type { AccountDatabase } from './transaction.ts';

/** The events of accounts. */
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

const listEvents = `
  select id, ${isoTimestamp('at')} as at, action, actor, detail, ip from account_events
  where account_id = $1 and id < $2 order by id desc limit $3`;
const listKeyEvents = `
  select a.id, ${isoTimestamp('a.at')} as at, 'key_' || a.action as action, a.actor,
         jsonb_build_object('key', k.name, 'prefix', k.prefix) || (a.detail - 'ip') as detail, a.detail ->> 'ip' as ip
  from api_key_audit a join api_keys k on k.id = a.key_id
  where k.account_id = $1 and a.id < $2 order by a.id desc limit $3`;

type EventRow = Omit<AccountEvent, 'id'> & { readonly id: number };

/** Reads the events of accounts and of their keys. */
export function createEventStore({ run }: AccountDatabase): EventStore {
  return {
    list: (accountId, limit, before = newestEvents) =>
      run(async (database) => {
        const [account, keys] = await Promise.all([
          database.query<EventRow>(listEvents, [accountId, before.account, limit + 1]),
          database.query<EventRow>(listKeyEvents, [accountId, before.keys, limit + 1]),
        ]);
        return mergeEvents(account.rows.map(toEvent('account')), keys.rows.map(toEvent('key')), limit, before);
      }),
  };
}

function toEvent(sort: string): (found: EventRow) => NumberedEvent {
  return ({ id, ...event }) => ({ ...event, id: `${sort}-${id}`, number: id });
}
