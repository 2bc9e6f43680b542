import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { purposes, walletChallenge as walletChallengeData } from '../../../account/answers.ts';
import { creationOptions, requestOptions } from '../../../account/passkeys.ts';
import { writeSignInMessage } from '../../../account/sign-in-message.ts';
import { lowerHex } from '../../../payments/protocol/payload.ts';
import { answerOf } from '../../openapi/account-operation.ts';
import { accountEndpoint } from '../account-endpoint.ts';
import { accountPorts, fromStore } from '../console.ts';
import { markBrowser } from '../cookies.ts';
import { challengedAccount, challengeErrors, invitationToken } from '../credentials/challenged-account.ts';
import { passkeyPlace, walletPlace } from '../credentials/sign-in-place.ts';
import { walletAddress } from '../credentials/signed-message.ts';

const gates = ['slot', 'same origin', 'attempt'] as const;
const description = 'Good for ten minutes, once, in the browser that asked for it.';

const nonceBytes = 20;

export const walletChallenge = accountEndpoint({
  method: 'post',
  path: 'wallets/challenge',
  gates,
  body: z.strictObject({
    address: walletAddress,
    purpose: z.enum(purposes).describe('The use of the signature; it is refused for any other purpose'),
    invitation: invitationToken
      .optional()
      .describe('Required with the purpose "invitation": its token, so that the message names the account'),
  }),
  answer: answerOf('WalletChallengeAnswer', walletChallengeData),
  operation: () => ({
    operationId: 'walletChallenge',
    tag: 'Session',
    summary: 'A message for a wallet to sign',
    description,
    examples: {
      message: [
        { message: exampleMessage(), expires_at: '2026-01-31T12:10:00.000Z' },
        'Sign this message with the wallet.',
      ],
    },
    errors: challengeErrors,
  }),
  handler:
    (deps, config) =>
    async ({ ctx, body: { address, purpose, invitation } }) => {
      const { validMs } = config.challenges;
      const place = walletPlace(ctx, config);
      const account = await challengedAccount(deps, ctx, { purpose, invitation });
      const issuedAtMs = deps.clock.now();
      const expiresAtMs = issuedAtMs + validMs;
      const nonce = randomBytes(nonceBytes).toString('hex');
      const request = { address: lowerHex(address), purpose, account, nonce, issuedAtMs, expiresAtMs };
      const message = writeSignInMessage(place, request);
      const accountId = account?.id ?? null;
      const binding = { method: 'wallet', purpose, browser: markBrowser(ctx, config), accountId } as const;
      fromStore(await accountPorts(deps).challenges.add(binding, message, validMs));
      return [{ message, expires_at: new Date(expiresAtMs).toISOString() }, 'Sign this message with the wallet.'];
    },
});

function exampleMessage(): string {
  return writeSignInMessage(
    { origin: 'https://search.example', chainId: 8453 },
    {
      address: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
      purpose: 'sign-in',
      account: null,
      nonce: 'd6f0a1c2b3e4f5a69788',
      issuedAtMs: Date.UTC(2026, 0, 31, 12),
      expiresAtMs: Date.UTC(2026, 0, 31, 12, 10),
    },
  );
}

const passkeyChallengeData = z.strictObject({
  options: z
    .record(z.string(), z.unknown())
    .describe('For PublicKeyCredential.parseCreationOptionsFromJSON (add, invitation) or …parseRequestOptionsFromJSON'),
});

const exampleOptions = {
  rpId: 'search.example',
  challenge: 'o1WZ2zC1lVqk5u0gJ0v0jJ4i7Y3m8a9b0c1d2e3f4g5',
  allowCredentials: [],
  timeout: 600_000,
  userVerification: 'required',
};

export const passkeyChallenge = accountEndpoint({
  method: 'post',
  path: 'passkeys/challenge',
  gates,
  body: z.strictObject({
    purpose: z.enum(purposes).describe('The use of the answer; it is refused for any other purpose'),
    invitation: invitationToken.optional().describe('Required with the purpose "invitation": its token'),
  }),
  answer: answerOf('PasskeyChallengeAnswer', passkeyChallengeData),
  operation: () => ({
    operationId: 'passkeyChallenge',
    tag: 'Session',
    summary: 'A challenge for a passkey to answer',
    description,
    examples: { 'to sign in': [{ options: exampleOptions }, 'Answer this challenge with a passkey.'] },
    errors: challengeErrors,
  }),
  handler:
    (deps, config) =>
    async ({ ctx, body: { purpose, invitation } }) => {
      const { validMs } = config.challenges;
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
      return [{ options }, 'Answer this challenge with a passkey.'];
    },
});
