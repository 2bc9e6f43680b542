import { z } from 'zod';
import { invitation } from '../../../account/answers.ts';
import type { NewCredential } from '../../../account/credentials.ts';
import type { AcceptOutcome, Session } from '../../../account/ports.ts';
import { hashToken } from '../../../account/tokens.ts';
import type { ConsoleConfig } from '../../../config/console.ts';
import { InvitationInvalid, SignInFailed } from '../../errors/account-errors.ts';
import { answerOf } from '../../openapi/components.ts';
import { accountEndpoint } from '../account-endpoint.ts';
import { beginSession } from '../cookies.ts';
import { findInvitation, invitationToken } from '../credentials/challenged-account.ts';
import {
  addRefused,
  holdsOneCredential,
  newCredentialBody,
  notOneCredential,
  readNewCredential,
} from '../credentials/credentials.ts';
import { signedInAnswer, signedInReply } from '../session-view.ts';

const gates = ['slot', 'same origin', 'attempt'] as const;

/** A POST, so that no log contains the token. */
export const readInvitation = accountEndpoint({
  method: 'post',
  path: 'invitations/read',
  gates,
  body: z.strictObject({ token: invitationToken }),
  answer: answerOf('InvitationAnswer', invitation),
  operationId: 'readInvitation',
  tag: 'Session',
  summary: 'The account, plan and expiry of an invitation',
  errors: ['sign_up_closed', 'invitation_invalid', 'service_unavailable'],
  handler: async ({ body, ...context }) => {
    const { account, plan, expiresAt } = await findInvitation(context, body.token);
    return [{ account, plan, expires_at: expiresAt.toISOString() }, `An invitation to ${account}.`];
  },
});

export const acceptInvitation = accountEndpoint({
  method: 'post',
  path: 'invitations/accept',
  gates,
  body: z
    .strictObject({ token: invitationToken, ...newCredentialBody })
    .refine(holdsOneCredential, notOneCredential)
    .describe('Either a wallet or a passkey'),
  answer: signedInAnswer,
  operationId: 'acceptInvitation',
  tag: 'Session',
  summary: 'Accept an invitation with a wallet or a passkey, and sign in',
  description: 'Uses the invitation up, where it succeeds.',
  errors: [
    'sign_in_failed',
    'sign_up_closed',
    'invitation_invalid',
    'already_registered',
    'too_many',
    'service_unavailable',
  ],
  handler: async ({ body: { token, ...given }, ...context }) => {
    const { ctx, config, account } = context;
    const { accountId } = await findInvitation(context, token);
    const credential = await readNewCredential(context, given, { purpose: 'invitation', accountId });
    const session = await beginSession(ctx, config, async (draft) => {
      const accepted = await account.invitations.accept(hashToken(token), credential, draft);
      return acceptedSession(accepted, credential.kind, config);
    });
    return signedInReply(context, session);
  },
});

function acceptedSession(outcome: AcceptOutcome, kind: NewCredential['kind'], config: ConsoleConfig): Session {
  if (outcome.ok) return outcome.session;
  switch (outcome.reason) {
    case 'used':
      throw new SignInFailed();
    case 'invalid':
      throw new InvitationInvalid();
    default:
      throw addRefused(outcome.reason, kind, config);
  }
}
