import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { purposes, walletChallenge as walletChallengeData } from '../../../account/answers.ts';
import { creationOptions, requestOptions } from '../../../account/passkeys.ts';
import { writeSignInMessage } from '../../../account/sign-in-message.ts';
import { lowerHex } from '../../../payments/protocol/payload.ts';
import { accountEndpoint } from '../account-endpoint.ts';
import { markBrowser } from '../cookies.ts';
import { challengedAccount, invitationToken } from '../credentials/challenged-account.ts';
import { walletAddress } from '../credentials/credentials.ts';
import { signInPlace } from '../credentials/sign-in-place.ts';

const gates = ['slot', 'same origin', 'attempt', 'session if given'] as const;

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
  answer: walletChallengeData,
  handler: async ({ body: { address, purpose, invitation }, ...context }) => {
    const { ctx, config, deps } = context;
    const { validMs } = config.challenges;
    const place = signInPlace(ctx, config, 'wallets');
    const account = await challengedAccount(context, { purpose, invitation });
    const issuedAtMs = deps.clock.now();
    const expiresAtMs = issuedAtMs + validMs;
    const nonce = randomBytes(nonceBytes).toString('hex');
    const request = { address: lowerHex(address), purpose, account, nonce, issuedAtMs, expiresAtMs };
    const message = writeSignInMessage(place, request);
    const accountId = account?.id ?? null;
    const binding = { method: 'wallet', purpose, browser: markBrowser(ctx, config), accountId } as const;
    await context.account.challenges.add(binding, message, validMs);
    return [{ message, expires_at: new Date(expiresAtMs).toISOString() }, 'Sign this message with the wallet.'];
  },
});

const passkeyChallengeData = z.strictObject({
  options: z
    .record(z.string(), z.unknown())
    .describe('For PublicKeyCredential.parseCreationOptionsFromJSON (add, invitation) or …parseRequestOptionsFromJSON'),
});

export const passkeyChallenge = accountEndpoint({
  method: 'post',
  path: 'passkeys/challenge',
  gates,
  body: z.strictObject({
    purpose: z.enum(purposes).describe('The use of the answer; it is refused for any other purpose'),
    invitation: invitationToken.optional().describe('Required with the purpose "invitation": its token'),
  }),
  answer: passkeyChallengeData,
  handler: async ({ body: { purpose, invitation }, ...context }) => {
    const { ctx, config } = context;
    const { validMs } = config.challenges;
    const place = signInPlace(ctx, config, 'passkeys');
    const account = await challengedAccount(context, { purpose, invitation });
    const { credentials, challenges } = context.account;
    const existing = account === null ? [] : await credentials.passkeysOf(account.id);
    const creates = account !== null && (purpose === 'add' || purpose === 'invitation');
    const options = creates
      ? await creationOptions(place, account, existing, validMs)
      : await requestOptions(place, existing, validMs);
    const accountId = account?.id ?? null;
    const binding = { method: 'passkey', purpose, accountId, browser: markBrowser(ctx, config) } as const;
    await challenges.add(binding, options.challenge, validMs);
    return [{ options }, 'Answer this challenge with a passkey.'];
  },
});
