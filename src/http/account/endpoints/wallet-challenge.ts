import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { walletChallenge as challenge, purposes } from '../../../account/answers.ts';
import { writeSignInMessage } from '../../../account/sign-in-message.ts';
import { lowerHex } from '../../../payments/protocol/payload.ts';
import type { Endpoint } from '../../endpoint.ts';
import { accountComponents, accountOperation } from '../../openapi/account-operation.ts';
import { envelopeOf, exampleOf } from '../../openapi/components.ts';
import { readJson } from '../../request/read-json.ts';
import { answer, fromStore } from '../answer.ts';
import { accountPorts, consoleConfig } from '../console.ts';
import { challengedAccount, challengeErrors, invitationToken } from '../credentials/challenged-account.ts';
import { walletPlace } from '../credentials/sign-in-place.ts';
import { walletAddress } from '../credentials/signed-message.ts';
import { markBrowser } from '../session/browser.ts';

const gates = ['slot', 'same origin', 'attempt'] as const;

const body = z.strictObject({
  address: walletAddress,
  purpose: z.enum(purposes).describe('What the signature is for; one made for one purpose is refused for another'),
  invitation: invitationToken
    .optional()
    .describe('With the purpose "invitation": its token, so that the message names the account'),
});

const walletChallengeAnswer = envelopeOf(challenge).register(accountComponents, { id: 'WalletChallengeAnswer' });

const example = exampleOf(
  {
    message: writeSignInMessage(
      { origin: 'https://search.example', chainId: 8453 },
      {
        address: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
        purpose: 'sign-in',
        account: null,
        nonce: 'd6f0a1c2b3e4f5a69788',
        issuedAtMs: Date.UTC(2026, 0, 31, 12),
        expiresAtMs: Date.UTC(2026, 0, 31, 12, 10),
      },
    ),
    expires_at: '2026-01-31T12:10:00.000Z',
  },
  'Sign this message with the wallet.',
);

const nonceBytes = 20;

/** POST /account/api/wallets/challenge: the message for a wallet to sign. */
export const walletChallenge: Endpoint = {
  method: 'post',
  path: '/account/api/wallets/challenge',
  gates,
  operation: () =>
    accountOperation({
      operationId: 'walletChallenge',
      tag: 'Session',
      summary: 'A message for a wallet to sign',
      description: 'Good for ten minutes, once, in the browser that asked for it.',
      gates,
      body,
      answer: walletChallengeAnswer,
      examples: { message: example },
      errors: challengeErrors,
    }),
  handler(deps) {
    const config = consoleConfig(deps);
    const { validMs } = config.challenges;
    return async (ctx) => {
      const { address, purpose, invitation } = await readJson(ctx, body, config.bodyMaxBytes);
      const place = walletPlace(ctx, config);
      const account = await challengedAccount(deps, ctx, { purpose, invitation });
      const issuedAtMs = deps.clock.now();
      const expiresAtMs = issuedAtMs + validMs;
      const message = writeSignInMessage(place, {
        address: lowerHex(address),
        purpose,
        account,
        nonce: randomBytes(nonceBytes).toString('hex'),
        issuedAtMs,
        expiresAtMs,
      });
      const binding = {
        method: 'wallet',
        purpose,
        browser: markBrowser(ctx, config),
        accountId: account?.id ?? null,
      } as const;
      fromStore(await accountPorts(deps).challenges.add(binding, message, validMs));
      const data = { message, expires_at: new Date(expiresAtMs).toISOString() };
      answer(ctx, deps.clock, data, 'Sign this message with the wallet.');
    };
  },
};
