import type { Pool } from 'pg';
import { z } from 'zod';
import { mergeEvents, type NumberedEvent, newestEvents } from '../../account/events.ts';
import type { EventStore } from '../../account/ports.ts';
import { type Query, queryOf, stored } from './transaction.ts';

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

/** Adds a line to the account's events, in the transaction of the change. */
export async function addEvent(
  query: Query,
  accountId: number,
  action: EventAction,
  actor: { readonly name: string; readonly ip: string | null },
  detail: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await query('insert into account_events (account_id, actor, action, detail, ip) values ($1, $2, $3, $4, $5)', [
    accountId,
    actor.name,
    action,
    JSON.stringify(detail),
    actor.ip,
  ]);
}

const listEvents = `
  select id, at, action, actor, detail, ip from account_events
  where account_id = $1 and id < $2 order by id desc limit $3`;
const listKeyEvents = `
  select a.id, a.at, 'key_' || a.action as action, a.actor,
         jsonb_build_object('key', k.name, 'prefix', k.prefix) || (a.detail - 'ip') as detail, a.detail ->> 'ip' as ip
  from api_key_audit a join api_keys k on k.id = a.key_id
  where k.account_id = $1 and a.id < $2 order by a.id desc limit $3`;

const row = z.object({
  id: z.int(),
  at: z.date(),
  action: z.string(),
  actor: z.string(),
  detail: z.record(z.string(), z.unknown()),
  ip: z.string().nullable(),
});

/** Reads the events of accounts and of their keys. */
export function createEventStore(pool: Pool, timeoutMs: number): EventStore {
  const query = queryOf(pool, timeoutMs);
  return {
    list: (accountId, limit, before = newestEvents) =>
      stored(async () => {
        const [account, keys] = await Promise.all([
          query(listEvents, [accountId, before.account, limit + 1]),
          query(listKeyEvents, [accountId, before.keys, limit + 1]),
        ]);
        return mergeEvents(account.map(toEvent('account')), keys.map(toEvent('key')), limit, before);
      }),
  };
}

function toEvent(sort: string): (found: object) => NumberedEvent {
  return (found) => {
    const { id, ...event } = row.parse(found);
    return { ...event, id: `${sort}-${id}`, number: id };
  };
}
