import type { Pool } from 'pg';
import { z } from 'zod';
import type { NewCredential } from '../../account/credentials.ts';
import type { AcceptOutcome, AcceptRefusal, InvitationStore, NewSession } from '../../account/ports.ts';
import { takeChallenge } from './challenges.ts';
import { addCredential, type CredentialLimits } from './credential-rows.ts';
import { addEvent } from './events.ts';
import { beginSession, lockAccount, type SessionLimits } from './session-rows.ts';
import { inOneChange, type Query, queryOf, stored } from './transaction.ts';

export interface InvitationSettings {
  readonly sessions: SessionLimits;
  readonly max: CredentialLimits;
  /** After which a statement counts as failed, in milliseconds. */
  readonly timeoutMs: number;
}

const find = `
  select i.account_id, a.name as account, a.plan, i.expires_at
  from account_invitations i join accounts a on a.id = i.account_id
  where i.hash = $1 and i.used_at is null and i.expires_at > now() and a.active`;
const row = z.object({ account_id: z.int(), account: z.string(), plan: z.string(), expires_at: z.date() });

const take = `
  update account_invitations set used_at = now() where hash = $1 and used_at is null and expires_at > now()
  returning id, account_id, created_by`;
const takenRow = z.object({ id: z.int(), account_id: z.int(), created_by: z.string() });

/** Invitations, in Postgres. Accepting one is a transaction with what follows from it. */
export function createInvitationStore(pool: Pool, settings: InvitationSettings): InvitationStore {
  const { timeoutMs } = settings;
  return {
    find: (hash) =>
      stored(async () => {
        const found = row.optional().parse((await queryOf(pool, timeoutMs)(find, [hash]))[0]);
        if (found === undefined) return null;
        return {
          accountId: found.account_id,
          account: found.account,
          plan: found.plan,
          expiresAt: found.expires_at,
        };
      }),
    accept: (hash, credential, session) =>
      inOneChange(pool, timeoutMs, async (query, undo): Promise<AcceptOutcome> => {
        const outcome = await accept(query, settings, { hash, credential, session });
        if (!outcome.ok) undo();
        return outcome;
      }),
  };
}

interface Acceptance {
  readonly hash: Buffer;
  readonly credential: NewCredential;
  readonly session: NewSession;
}

async function accept(
  query: Query,
  { sessions, max }: InvitationSettings,
  { hash, credential, session }: Acceptance,
): Promise<AcceptOutcome> {
  const [taken] = await query(take, [hash]);
  if (taken === undefined) return refused('invalid');
  const { id, account_id: accountId, created_by } = takenRow.parse(taken);
  // The signed text names the account.
  if (credential.challenge.accountId !== accountId) return refused('used');
  if (!(await takeChallenge(query, credential.challenge))) return refused('used');
  if (!(await lockAccount(query, accountId))) return refused('invalid');
  const actor = { name: nameOf(credential), ip: session.ip };
  await addEvent(query, accountId, 'invitation_accepted', actor, { invitation: id, invited_by: created_by });
  const added = await addCredential(query, accountId, credential, max, actor);
  if ('refused' in added) return refused(added.refused);
  const by = {
    accountId,
    method: 'invitation',
    credential: { kind: credential.kind, id: added.id },
    actorName: actor.name,
  } as const;
  return { ok: true, session: await beginSession(query, sessions, by, session) };
}

function refused(reason: AcceptRefusal): AcceptOutcome {
  return { ok: false, reason };
}

function nameOf(credential: NewCredential): string {
  return credential.kind === 'wallet' ? `wallet ${credential.address}` : `passkey ${credential.passkey.name}`;
}
