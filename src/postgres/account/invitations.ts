import type { NewCredential } from '../../account/credentials.ts';
import type { Invitation, NewSession, Refusal, Session } from '../../account/ports.ts';
import type { ConsoleConfig } from '../../config/console.ts';
import type { Database } from '../statements.ts';
import { takeChallenge } from './challenges.ts';
import { addCredential } from './credential-rows.ts';
import { addEvent } from './events.ts';
import { beginSession, lockAccount } from './sessions.ts';
import type { AccountDatabase } from './transaction.ts';

type Settings = Pick<ConsoleConfig, 'max' | 'sessions'>;

const find = `
  select i.account_id as "accountId", a.name as account, a.plan, i.expires_at as "expiresAt"
  from account_invitations i join accounts a on a.id = i.account_id
  where i.hash = $1 and i.used_at is null and i.expires_at > now() and a.active`;

const take = `
  update account_invitations set used_at = now() where hash = $1 and used_at is null and expires_at > now()
  returning id, account_id, created_by`;

/** Creates the store of invitations. Accepting one and its effects are one transaction. */
export function createInvitationStore({ run, change }: AccountDatabase, settings: Settings) {
  return {
    /** Null if it is unknown, used or expired, or its account is suspended. */
    find: (hash: Buffer): Promise<Invitation | null> =>
      run(async (database) => {
        const { rows } = await database.query<Invitation & object>(find, [hash]);
        return rows[0] ?? null;
      }),
    /** Uses up the invitation, adds the credential to its account and signs in. */
    accept: (hash: Buffer, credential: NewCredential, session: NewSession) =>
      change(async (database, undo) => {
        const outcome = await accept(database, settings, { hash, credential, session });
        if (typeof outcome === 'string') undo();
        return outcome;
      }),
  };
}

type Taken = { readonly id: number; readonly account_id: number; readonly created_by: string };

interface Acceptance {
  readonly hash: Buffer;
  readonly credential: NewCredential;
  readonly session: NewSession;
}

async function accept(
  database: Database,
  { sessions, max }: Settings,
  { hash, credential, session }: Acceptance,
): Promise<Session | Refusal> {
  const [taken] = (await database.query<Taken>(take, [hash])).rows;
  if (taken === undefined) return 'invalid';
  const { id, account_id: accountId, created_by } = taken;
  // The signed text names the account.
  if (credential.challenge.accountId !== accountId) return 'used';
  if (!(await takeChallenge(database, credential.challenge))) return 'used';
  if (!(await lockAccount(database, accountId))) return 'invalid';
  const actor = { name: nameOf(credential), ip: session.ip };
  await addEvent(database, accountId, 'invitation_accepted', actor, { invitation: id, invited_by: created_by });
  const added = await addCredential(database, accountId, credential, max, actor);
  if (typeof added === 'string') return added;
  const by = {
    accountId,
    method: 'invitation',
    credential: { kind: credential.kind, id: added },
    actorName: actor.name,
  } as const;
  return beginSession(database, sessions, by, session);
}

function nameOf(credential: NewCredential): string {
  return credential.kind === 'wallet' ? `wallet ${credential.address}` : `passkey ${credential.passkey.name}`;
}
