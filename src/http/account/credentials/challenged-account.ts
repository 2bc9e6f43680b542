import { z } from 'zod';
import type { Purpose } from '../../../account/answers.ts';
import type { Invitation } from '../../../account/ports.ts';
import type { NamedAccount } from '../../../account/sign-in-message.ts';
import { hashToken, isToken } from '../../../account/tokens.ts';
import { InvitationInvalid, SignUpClosed } from '../../errors/account-errors.ts';
import { InvalidParameters } from '../../errors/errors.ts';
import type { AccountContext } from '../account-endpoint.ts';
import { signedInAccount } from '../middleware/session.ts';

const tokenMax = 100;

export const invitationToken = z.string().min(1).max(tokenMax);

/** Returns the account that a challenge is for; null for a sign-in. */
export async function challengedAccount(
  context: AccountContext,
  { purpose, invitation }: { readonly purpose: Purpose; readonly invitation?: string | undefined },
): Promise<NamedAccount | null> {
  // A message that names no account could bind its signer's wallet to an attacker's account.
  if (purpose === 'invitation') return invitedAccount(context, invitation);
  if (invitation !== undefined) {
    throw new InvalidParameters([{ path: 'invitation', message: 'goes with the purpose "invitation" only' }]);
  }
  return purpose === 'sign-in' ? null : signedInAccount(context.ctx);
}

/** Returns an open invitation. Throws if the token has none, or if sign-up is closed. */
export async function findInvitation({ config, account }: AccountContext, token: string): Promise<Invitation> {
  if (config.signUp === 'closed') throw new SignUpClosed();
  const found = isToken(token) ? await account.invitations.find(hashToken(token)) : null;
  if (found === null) throw new InvitationInvalid();
  return found;
}

async function invitedAccount(context: AccountContext, token: string | undefined): Promise<NamedAccount> {
  if (token === undefined) {
    throw new InvalidParameters([{ path: 'invitation', message: 'is required for this purpose' }]);
  }
  const { accountId, account } = await findInvitation(context, token);
  return { id: accountId, name: account };
}
