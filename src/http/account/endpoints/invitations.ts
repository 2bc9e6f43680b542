import { z } from 'zod';
import { invitation } from '../../../account/answers.ts';
import type { NewCredential } from '../../../account/credentials.ts';
import type { AcceptOutcome, Session } from '../../../account/ports.ts';
import { hashToken } from '../../../account/tokens.ts';
import type { ConsoleConfig } from '../../../config/console.ts';
import {
  AlreadyRegistered,
  InvitationInvalid,
  SignInFailed,
  SignUpClosed,
  TooMany,
} from '../../errors/account-errors.ts';
import { ServiceUnavailable } from '../../errors/errors.ts';
import { answerOf } from '../../openapi/account-operation.ts';
import { accountEndpoint } from '../account-endpoint.ts';
import { accountPorts, fromStore } from '../console.ts';
import { beginSession } from '../cookies.ts';
import { findInvitation, invitationToken } from '../credentials/challenged-account.ts';
import {
  addRefused,
  holdsOneCredential,
  newCredentialBody,
  notOneCredential,
  readNewCredential,
} from '../credentials/credential-body.ts';
import { signedInAnswer, signedInExamples, signedInReply } from '../session-view.ts';

const gates = ['slot', 'same origin', 'attempt'] as const;

/** A POST, so that no log contains the token. */
export const readInvitation = accountEndpoint({
  method: 'post',
  path: 'invitations/read',
  gates,
  body: z.strictObject({ token: invitationToken }),
  answer: answerOf('InvitationAnswer', invitation),
  operation: () => ({
    operationId: 'readInvitation',
    tag: 'Session',
    summary: 'The account, plan and expiry of an invitation',
    examples: {
      invitation: [
        { account: 'Example Ltd', plan: 'starter', expires_at: '2026-02-07T12:00:00.000Z' },
        'An invitation to Example Ltd.',
      ],
    },
    errors: [new SignUpClosed(), new InvitationInvalid(), new ServiceUnavailable(null)],
  }),
  handler:
    (deps) =>
    async ({ body }) => {
      const { account, plan, expiresAt } = await findInvitation(deps, body.token);
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
  operation: () => ({
    operationId: 'acceptInvitation',
    tag: 'Session',
    summary: 'Accept an invitation with a wallet or a passkey, and sign in',
    description: 'Uses the invitation up, where it succeeds.',
    examples: signedInExamples,
    errors: [
      new SignInFailed(),
      new SignUpClosed(),
      new InvitationInvalid(),
      new AlreadyRegistered('passkey'),
      new TooMany('passkeys', 20),
      new ServiceUnavailable(null),
    ],
  }),
  handler:
    (deps, config) =>
    async ({ ctx, body: { token, ...given } }) => {
      const { accountId } = await findInvitation(deps, token);
      const credential = await readNewCredential(deps, ctx, given, { purpose: 'invitation', accountId });
      const session = await beginSession(ctx, config, async (draft) => {
        const accepted = await accountPorts(deps).invitations.accept(hashToken(token), credential, draft);
        return acceptedSession(fromStore(accepted), credential.kind, config);
      });
      return signedInReply(ctx, config, session, deps.clock);
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
