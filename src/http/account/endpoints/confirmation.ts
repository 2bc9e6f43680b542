import { z } from 'zod';
import { instant } from '../../../lib/wire-schema.ts';
import type { Endpoint } from '../../endpoint.ts';
import { SignInFailed } from '../../errors/account-errors.ts';
import { accountComponents, accountOperation } from '../../openapi/account-operation.ts';
import { envelopeOf, exampleOf } from '../../openapi/components.ts';
import { readJson } from '../../request/read-json.ts';
import { changingOf } from '../actor.ts';
import { answer, fromStore } from '../answer.ts';
import { accountPorts, consoleConfig } from '../console.ts';
import {
  holdsOneCredential,
  knownCredentialBody,
  notOneCredential,
  readKnownCredential,
} from '../credentials/credential-body.ts';

const gates = ['slot', 'same origin', 'attempt', 'session'] as const;

const body = z
  .strictObject(knownCredentialBody)
  .refine(holdsOneCredential, notOneCredential)
  .describe('Either a wallet or a passkey');
const confirmationAnswer = envelopeOf(z.strictObject({ confirmed: z.literal(true), until: instant })).register(
  accountComponents,
  { id: 'ConfirmationAnswer' },
);

/** POST /account/api/session/confirmation: a fresh signature, for one change of wallets or passkeys. */
export const confirmSession: Endpoint = {
  method: 'post',
  path: '/account/api/session/confirmation',
  gates,
  operation: () =>
    accountOperation({
      operationId: 'confirmSession',
      tag: 'Security',
      summary: 'Confirm with a wallet or passkey of the account that one of them is to be added or removed',
      description: 'Good for five minutes and one change.',
      gates,
      body,
      answer: confirmationAnswer,
      examples: {
        confirmed: exampleOf(
          { confirmed: true, until: '2026-01-31T12:05:00.000Z' },
          'Confirmed: one wallet or passkey may be added or removed now.',
        ),
      },
      errors: [new SignInFailed()],
    }),
  handler(deps) {
    const config = consoleConfig(deps);
    return async (ctx) => {
      const given = await readJson(ctx, body, config.bodyMaxBytes);
      const who = changingOf(ctx);
      const asked = { purpose: 'confirm', accountId: who.accountId } as const;
      const credential = await readKnownCredential(deps, ctx, given, asked);
      const until = fromStore(await accountPorts(deps).credentials.confirm(who, credential));
      if (until === null) throw new SignInFailed();
      const data = { confirmed: true, until: until.toISOString() };
      answer(ctx, deps.clock, data, 'Confirmed: one wallet or passkey may be added or removed now.');
    };
  },
};
