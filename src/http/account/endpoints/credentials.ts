import { z } from 'zod';
import type { NewCredential } from '../../../account/credentials.ts';
import { instant } from '../../../lib/wire-schema.ts';
import type { Endpoint } from '../../endpoint.ts';
import { ConfirmationRequired, LastCredential, NotInAccount, SignInFailed } from '../../errors/account-errors.ts';
import { answerOf } from '../../openapi/components.ts';
import { type AccountContext, accountEndpoint, type Reply } from '../account-endpoint.ts';
import {
  addRefused,
  holdsOneCredential,
  knownCredentialBody,
  newPasskey,
  notOneCredential,
  readKnownCredential,
  readNewPasskeyProof,
  readWalletProof,
  signedMessage,
} from '../credentials/credentials.ts';
import { changingOf } from '../middleware/session.ts';

type Kind = NewCredential['kind'];

const signatureGates = ['slot', 'same origin', 'attempt', 'session'] as const;
const confirmed = 'Confirmed: one wallet or passkey may be added or removed now.';

export const confirmSession = accountEndpoint({
  method: 'post',
  path: 'session/confirmation',
  gates: signatureGates,
  body: z
    .strictObject(knownCredentialBody)
    .refine(holdsOneCredential, notOneCredential)
    .describe('Either a wallet or a passkey'),
  answer: answerOf('ConfirmationAnswer', z.strictObject({ confirmed: z.literal(true), until: instant })),
  operationId: 'confirmSession',
  tag: 'Security',
  summary: 'Allow a change of wallets and passkeys, with proof of one of them',
  description: 'Valid for five minutes and one change.',
  errors: ['sign_in_failed'],
  handler: async ({ body, ...context }) => {
    const who = changingOf(context.ctx);
    const credential = await readKnownCredential(context, body, { purpose: 'confirm', accountId: who.accountId });
    const until = await context.account.credentials.confirm(who, credential);
    if (until === null) throw new SignInFailed();
    return [{ confirmed: true, until: until.toISOString() }, confirmed];
  },
});

const idAnswer = answerOf('CredentialAnswer', z.strictObject({ id: z.int().positive() }));

export const addedWallet = accountEndpoint({
  ...addition('wallet'),
  body: signedMessage,
  handler: async ({ body, ...context }) =>
    add(context, { kind: 'wallet', ...(await readWalletProof(context, body, addingTo(context))) }),
});

export const addedPasskey = accountEndpoint({
  ...addition('passkey'),
  body: newPasskey,
  handler: async ({ body, ...context }) =>
    add(context, { kind: 'passkey', ...(await readNewPasskeyProof(context, body, addingTo(context))) }),
});

function addition(kind: Kind) {
  return {
    method: 'post',
    path: `${kind}s`,
    gates: signatureGates,
    status: 201,
    answer: idAnswer,
    operationId: kind === 'wallet' ? 'addWallet' : 'addPasskey',
    tag: 'Security',
    summary: `Let a ${kind} open the account`,
    description: 'Takes a confirmation, and an answer to a challenge with the purpose "add".',
    errors: ['sign_in_failed', 'confirmation_required', 'already_registered', 'too_many'],
  } as const;
}

function addingTo({ ctx }: AccountContext) {
  return { purpose: 'add', accountId: changingOf(ctx).accountId } as const;
}

async function add({ ctx, config, account }: AccountContext, credential: NewCredential): Promise<Reply> {
  const { kind } = credential;
  const added = await account.credentials.add(changingOf(ctx), credential);
  if ('id' in added) return [{ id: added.id }, `The ${kind} opens this account from now on.`];
  switch (added.refused) {
    case 'used':
      throw new SignInFailed();
    case 'unconfirmed':
      throw new ConfirmationRequired();
    default:
      throw addRefused(added.refused, kind, config);
  }
}

export const removedWallet = removal('wallet');
export const removedPasskey = removal('passkey');

function removal(kind: Kind): Endpoint {
  return accountEndpoint({
    method: 'delete',
    path: `${kind}s/{id}`,
    gates: ['slot', 'same origin', 'session'],
    id: { of: kind, text: `The ${kind}'s id` },
    answer: idAnswer,
    operationId: kind === 'wallet' ? 'removeWallet' : 'removePasskey',
    tag: 'Security',
    summary: `Let a ${kind} no longer open the account`,
    description: 'Takes a confirmation. The last way to sign in stays.',
    errors: ['confirmation_required', 'not_found', 'last_credential'],
    handler: async ({ account, ctx, id }) => {
      switch (await account.credentials.remove(changingOf(ctx), kind, id)) {
        case 'removed':
          return [{ id }, `The ${kind} was removed.`];
        case 'missing':
          throw new NotInAccount(kind);
        case 'last':
          throw new LastCredential();
        case 'unconfirmed':
          throw new ConfirmationRequired();
      }
    },
  });
}
