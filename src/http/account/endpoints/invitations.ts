import { z } from 'zod';
import { invitation } from '../../../account/answers.ts';
import type { NewCredential } from '../../../account/credentials.ts';
import type { AcceptOutcome, Session } from '../../../account/ports.ts';
import { hashToken } from '../../../account/tokens.ts';
import type { ConsoleConfig } from '../../../config/console.ts';
import type { Endpoint } from '../../endpoint.ts';
import {
  AlreadyRegistered,
  InvitationInvalid,
  SignInFailed,
  SignUpClosed,
  TooMany,
} from '../../errors/account-errors.ts';
import { ServiceUnavailable } from '../../errors/errors.ts';
import { accountComponents, accountOperation } from '../../openapi/account-operation.ts';
import { envelopeOf, exampleOf } from '../../openapi/components.ts';
import { readJson } from '../../request/read-json.ts';
import { answer, fromStore } from '../answer.ts';
import { accountPorts, consoleConfig } from '../console.ts';
import { findInvitation, invitationToken } from '../credentials/challenged-account.ts';
import {
  addRefused,
  holdsOneCredential,
  newCredentialBody,
  notOneCredential,
  readNewCredential,
} from '../credentials/credential-body.ts';
import { draftSession, giveSession } from '../session/browser.ts';
import { signedInAnswer, signedInExamples, signedInView } from '../session/view.ts';

const gates = ['slot', 'same origin', 'attempt'] as const;

const readBody = z.strictObject({ token: invitationToken });
const invitationAnswer = envelopeOf(invitation).register(accountComponents, { id: 'InvitationAnswer' });

/** POST /account/api/invitations/read: what an invitation is to. A POST, so that no log has the token. */
export const readInvitation: Endpoint = {
  method: 'post',
  path: '/account/api/invitations/read',
  gates,
  operation: () =>
    accountOperation({
      operationId: 'readInvitation',
      tag: 'Session',
      summary: 'What an invitation is to',
      gates,
      body: readBody,
      answer: invitationAnswer,
      examples: {
        invitation: exampleOf(
          { account: 'Example Ltd', plan: 'starter', expires_at: '2026-02-07T12:00:00.000Z' },
          'An invitation to Example Ltd.',
        ),
      },
      errors: [new SignUpClosed(), new InvitationInvalid(), new ServiceUnavailable(null)],
    }),
  handler(deps) {
    const config = consoleConfig(deps);
    return async (ctx) => {
      const { token } = await readJson(ctx, readBody, config.bodyMaxBytes);
      const { account, plan, expiresAt } = await findInvitation(deps, token);
      const data = { account, plan, expires_at: expiresAt.toISOString() };
      answer(ctx, deps.clock, data, `An invitation to ${account}.`);
    };
  },
};

const acceptBody = z
  .strictObject({ token: invitationToken, ...newCredentialBody })
  .refine(holdsOneCredential, notOneCredential)
  .describe('Either a wallet or a passkey');

/** POST /account/api/invitations/accept: gives a wallet or a passkey to the account, and signs in. */
export const acceptInvitation: Endpoint = {
  method: 'post',
  path: '/account/api/invitations/accept',
  gates,
  operation: () =>
    accountOperation({
      operationId: 'acceptInvitation',
      tag: 'Session',
      summary: 'Accept an invitation with a wallet or a passkey, and sign in',
      description: 'Uses the invitation up, where it succeeds.',
      gates,
      body: acceptBody,
      answer: signedInAnswer,
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
  handler(deps) {
    const config = consoleConfig(deps);
    return async (ctx) => {
      const { token: invited, ...given } = await readJson(ctx, acceptBody, config.bodyMaxBytes);
      const { accountId } = await findInvitation(deps, invited);
      const asked = { purpose: 'invitation', accountId } as const;
      const credential = await readNewCredential(deps, ctx, given, asked);
      const { token, session: draft } = draftSession(ctx, config);
      const accepted = await accountPorts(deps).invitations.accept(hashToken(invited), credential, draft);
      const session = acceptedSession(fromStore(accepted), credential.kind, config);
      giveSession(ctx, config, token);
      answer(ctx, deps.clock, signedInView(ctx, config, session, deps.clock), `Signed in to ${session.account.name}.`);
    };
  },
};

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
