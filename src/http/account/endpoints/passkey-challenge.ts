import { z } from 'zod';
import { purposes } from '../../../account/answers.ts';
import { creationOptions, requestOptions } from '../../../account/passkeys.ts';
import type { Endpoint } from '../../endpoint.ts';
import { InvalidParameters } from '../../errors/errors.ts';
import { accountComponents, accountOperation } from '../../openapi/account-operation.ts';
import { envelopeOf, exampleOf } from '../../openapi/components.ts';
import { readJson } from '../../request/read-json.ts';
import { answer, fromStore } from '../answer.ts';
import { accountPorts, consoleConfig } from '../console.ts';
import { challengedAccount, challengeErrors, invitationToken } from '../credentials/challenged-account.ts';
import { passkeyPlace } from '../credentials/sign-in-place.ts';
import { markBrowser } from '../session/browser.ts';

const gates = ['slot', 'same origin', 'attempt'] as const;

const body = z.strictObject({
  purpose: z.enum(purposes).describe('What the answer is for; one given for one purpose is refused for another'),
  invitation: invitationToken.optional().describe('With the purpose "invitation": its token'),
});

const passkeyChallengeAnswer = envelopeOf(
  z.strictObject({
    options: z
      .record(z.string(), z.unknown())
      .describe(
        'For PublicKeyCredential.parseCreationOptionsFromJSON (add, invitation) or …parseRequestOptionsFromJSON',
      ),
  }),
).register(accountComponents, { id: 'PasskeyChallengeAnswer' });

const example = exampleOf(
  {
    options: {
      rpId: 'search.example',
      challenge: 'o1WZ2zC1lVqk5u0gJ0v0jJ4i7Y3m8a9b0c1d2e3f4g5',
      allowCredentials: [],
      timeout: 600_000,
      userVerification: 'required',
    },
  },
  'Answer this challenge with a passkey.',
);

/** POST /account/api/passkeys/challenge: what a browser needs to make or to use a passkey. */
export const passkeyChallenge: Endpoint = {
  method: 'post',
  path: '/account/api/passkeys/challenge',
  gates,
  operation: () =>
    accountOperation({
      operationId: 'passkeyChallenge',
      tag: 'Session',
      summary: 'A challenge for a passkey to answer',
      description: 'Good for ten minutes, once, in the browser that asked for it.',
      gates,
      body,
      answer: passkeyChallengeAnswer,
      examples: { 'to sign in': example },
      errors: challengeErrors,
    }),
  handler(deps) {
    const config = consoleConfig(deps);
    const { validMs } = config.challenges;
    return async (ctx) => {
      const { purpose, invitation } = await readJson(ctx, body, config.bodyMaxBytes);
      if (purpose === 'invitation' && invitation === undefined) {
        throw new InvalidParameters([{ path: 'invitation', message: 'is required for this purpose' }]);
      }
      const place = passkeyPlace(ctx, config);
      const account = await challengedAccount(deps, ctx, { purpose, invitation });
      const { passkeys, challenges } = accountPorts(deps);
      const existing = account === null ? [] : fromStore(await passkeys.list(account.id));
      const creates = account !== null && (purpose === 'add' || purpose === 'invitation');
      const options = creates
        ? await creationOptions(place, account, existing, validMs)
        : await requestOptions(place, existing, validMs);
      const accountId = account?.id ?? null;
      const binding = { method: 'passkey', purpose, accountId, browser: markBrowser(ctx, config) } as const;
      fromStore(await challenges.add(binding, options.challenge, validMs));
      answer(ctx, deps.clock, { options }, 'Answer this challenge with a passkey.');
    };
  },
};
