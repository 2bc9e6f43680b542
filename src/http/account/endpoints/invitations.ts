import { z } from 'zod';
import { invitation, signedIn } from '../../../account/answers.ts';
import { hashToken } from '../../../account/tokens.ts';
import { accountEndpoint } from '../account-endpoint.ts';
import { findInvitation, invitationToken } from '../credentials/challenged-account.ts';
import { eitherCredential, newPasskey, readNewCredential } from '../credentials/credentials.ts';
import { beginSessionReply } from '../session-view.ts';

const gates = ['slot', 'same origin', 'attempt'] as const;

/** A POST, so that no log contains the token. */
export const readInvitation = accountEndpoint({
  method: 'post',
  path: 'invitations/read',
  gates,
  body: z.strictObject({ token: invitationToken }),
  answer: invitation,
  handler: async ({ body, ...context }) => {
    const { account, plan, expiresAt } = await findInvitation(context, body.token);
    return [{ account, plan, expires_at: expiresAt.toISOString() }, `An invitation to ${account}.`];
  },
});

export const acceptInvitation = accountEndpoint({
  method: 'post',
  path: 'invitations/accept',
  gates,
  body: eitherCredential(newPasskey, { token: invitationToken }),
  answer: signedIn,
  handler: async ({ body: { token, ...given }, ...context }) => {
    const { accountId } = await findInvitation(context, token);
    const credential = await readNewCredential(context, given, { purpose: 'invitation', accountId });
    const { invitations } = context.account;
    return beginSessionReply(context, credential.kind, (draft) =>
      invitations.accept(hashToken(token), credential, draft),
    );
  },
});
