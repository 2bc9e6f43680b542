import type { Actor } from '../../account/ports.ts';
import type { Query } from './transaction.ts';

/** What accounts have lines about. */
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
  | 'invitation_accepted';

/** Adds a line to the account's events, in the change that it tells of. */
export async function addEvent(
  query: Query,
  accountId: number,
  action: EventAction,
  actor: Actor,
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
