import { z } from 'zod';
import type { Purpose } from '../../../account/answers.ts';
import type { Invitation } from '../../../account/ports.ts';
import type { NamedAccount } from '../../../account/sign-in-message.ts';
import { hashToken, isToken } from '../../../account/tokens.ts';
import type { Deps } from '../../../ports.ts';
import type { Context } from '../../context.ts';
import { AccountSuspended, InvitationInvalid, NotSignedIn, SignUpClosed } from '../../errors/account-errors.ts';
import { type ApiError, InvalidParameters, ServiceUnavailable } from '../../errors/errors.ts';
import { accountPorts, consoleConfig, fromStore } from '../console.ts';
import { findSession } from '../middleware/session.ts';

const tokenMax = 100;

/** A text that may be the token of an invitation. */
export const invitationToken = z.string().min(1).max(tokenMax);

/** Errors of both challenge endpoints, for their documentation. */
export const challengeErrors: readonly ApiError[] = [
  new NotSignedIn(),
  new SignUpClosed(),
  new AccountSuspended(),
  new InvitationInvalid(),
  new ServiceUnavailable(null),
];

interface Challenged {
  readonly purpose: Purpose;
  readonly invitation?: string | undefined;
}

/** Returns the account that a challenge is for; null for a sign-in. */
export async function challengedAccount(
  deps: Deps,
  ctx: Context,
  { purpose, invitation }: Challenged,
): Promise<NamedAccount | null> {
  // A message that names no account could bind its signer's wallet to an attacker's account.
  if (purpose === 'invitation') return invitedAccount(deps, invitation);
  if (invitation !== undefined) {
    throw new InvalidParameters([{ path: 'invitation', message: 'goes with the purpose "invitation" only' }]);
  }
  switch (purpose) {
    case 'sign-in':
      return null;
    case 'confirm':
    case 'add':
      return signedIn(deps, ctx);
  }
}

async function signedIn(deps: Deps, ctx: Context): Promise<NamedAccount> {
  const session = await findSession(deps, consoleConfig(deps), ctx);
  if (session === null) throw new NotSignedIn();
  if (!session.account.active) throw new AccountSuspended();
  return session.account;
}

/** Returns an open invitation. Throws if the token has none, or if sign-up is closed. */
export async function findInvitation(deps: Deps, token: string): Promise<Invitation> {
  if (consoleConfig(deps).signUp === 'closed') throw new SignUpClosed();
  if (!isToken(token)) throw new InvitationInvalid();
  const found = fromStore(await accountPorts(deps).invitations.find(hashToken(token)));
  if (found === null) throw new InvitationInvalid();
  return found;
}

async function invitedAccount(deps: Deps, token: string | undefined): Promise<NamedAccount> {
  if (token === undefined) {
    throw new InvalidParameters([{ path: 'invitation', message: 'is required for this purpose' }]);
  }
  const { accountId, account } = await findInvitation(deps, token);
  return { id: accountId, name: account };
}
