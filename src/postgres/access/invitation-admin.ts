import type pg from 'pg';
import { inTransaction } from '../pool.ts';
import { createAccount } from './admin.ts';

// Invitations from the command line.

export interface NewInvitation {
  readonly account: string;
  /** The plan of a new account; an existing one must have the same. */
  readonly plan: string | undefined;
  /** SHA-256 of its token. */
  readonly hash: Buffer;
  readonly validDays: number;
}

export interface InvitationRow {
  readonly account: string;
  readonly plan: string;
  /** True if the account was created for it. */
  readonly created: boolean;
  readonly expires_at: Date;
}

export type Invited =
  | { readonly ok: true; readonly row: InvitationRow }
  | { readonly ok: false; readonly reason: 'no plan given' | 'suspended' }
  | { readonly ok: false; readonly reason: 'other plan'; readonly plan: string };

const find = 'select id, plan, active from accounts where name = $1 for share';

const invite = `
  with i as (
    insert into account_invitations (account_id, hash, created_by, expires_at)
    values ($1, $2, $3, now() + $4 * interval '1 day') returning *
  ), event as (
    insert into account_events (account_id, actor, action, detail)
    select account_id, created_by, 'invitation_created', jsonb_build_object('invitation', id, 'expires_at', expires_at)
    from i
  )
  select expires_at from i`;

interface Account {
  readonly id: number;
  readonly plan: string;
  readonly active: boolean;
}

/** Creates an invitation to an account, which is created if it is missing. An unknown plan is Postgres's error 23503. */
export function inviteToAccount(pool: pg.Pool, invitation: NewInvitation, actor: string): Promise<Invited> {
  const { account: name, plan, hash, validDays } = invitation;
  return inTransaction(pool, async (client): Promise<Invited> => {
    const created = plan === undefined ? null : await createAccount(client, name, plan, actor);
    const [account] = (await client.query<Account>(find, [name])).rows;
    if (account === undefined) return { ok: false, reason: 'no plan given' };
    if (plan !== undefined && account.plan !== plan) return { ok: false, reason: 'other plan', plan: account.plan };
    if (!account.active) return { ok: false, reason: 'suspended' };
    const { rows } = await client.query<Pick<InvitationRow, 'expires_at'>>(invite, [
      account.id,
      hash,
      actor,
      validDays,
    ]);
    const [made] = rows;
    if (made === undefined) throw new Error('Postgres did not answer with the invitation that it made');
    return { ok: true, row: { account: name, plan: account.plan, created: created !== null, ...made } };
  });
}
