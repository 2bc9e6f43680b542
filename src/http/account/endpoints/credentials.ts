import { z } from 'zod';
import type { NewCredential } from '../../../account/credentials.ts';
import { instant } from '../../../lib/wire-schema.ts';
import type { Deps } from '../../../ports.ts';
import type { Context } from '../../context.ts';
import type { Endpoint } from '../../endpoint.ts';
import {
  AlreadyRegistered,
  ConfirmationRequired,
  LastCredential,
  NotInAccount,
  SignInFailed,
  TooMany,
} from '../../errors/account-errors.ts';
import { answerOf } from '../../openapi/account-operation.ts';
import { accountEndpoint, type Reply } from '../account-endpoint.ts';
import { accountPorts, consoleConfig, fromStore } from '../console.ts';
import {
  addRefused,
  holdsOneCredential,
  knownCredentialBody,
  newPasskey,
  notOneCredential,
  readKnownCredential,
} from '../credentials/credential-body.ts';
import { readNewPasskeyProof } from '../credentials/passkey-response.ts';
import { readWalletProof, signedMessage } from '../credentials/signed-message.ts';
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
  operation: () => ({
    operationId: 'confirmSession',
    tag: 'Security',
    summary: 'Allow a change of wallets and passkeys, with proof of one of them',
    description: 'Valid for five minutes and one change.',
    examples: { confirmed: [{ confirmed: true, until: '2026-01-31T12:05:00.000Z' }, confirmed] },
    errors: [new SignInFailed()],
  }),
  handler:
    (deps) =>
    async ({ ctx, body }) => {
      const who = changingOf(ctx);
      const credential = await readKnownCredential(deps, ctx, body, { purpose: 'confirm', accountId: who.accountId });
      const until = fromStore(await accountPorts(deps).credentials.confirm(who, credential));
      if (until === null) throw new SignInFailed();
      return [{ confirmed: true, until: until.toISOString() }, confirmed];
    },
});

const idAnswer = answerOf('CredentialAnswer', z.strictObject({ id: z.int().positive() }));

export const addedWallet = accountEndpoint({
  ...addition('wallet'),
  body: signedMessage,
  handler:
    (deps) =>
    async ({ ctx, body }) => {
      const asked = { purpose: 'add', accountId: changingOf(ctx).accountId } as const;
      return add(deps, ctx, { kind: 'wallet', ...(await readWalletProof(deps, ctx, body, asked)) });
    },
});

export const addedPasskey = accountEndpoint({
  ...addition('passkey'),
  body: newPasskey,
  handler:
    (deps) =>
    async ({ ctx, body }) => {
      const asked = { purpose: 'add', accountId: changingOf(ctx).accountId } as const;
      return add(deps, ctx, { kind: 'passkey', ...(await readNewPasskeyProof(deps, ctx, body, asked)) });
    },
});

function addition(kind: Kind) {
  return {
    method: 'post',
    path: `${kind}s`,
    gates: signatureGates,
    status: 201,
    answer: idAnswer,
    operation: () => ({
      operationId: kind === 'wallet' ? 'addWallet' : 'addPasskey',
      tag: 'Security',
      summary: `Let a ${kind} open the account`,
      description: 'Takes a confirmation, and an answer to a challenge with the purpose "add".',
      examples: { added: [{ id: 2 }, `The ${kind} opens this account from now on.`] as const },
      errors: [
        new SignInFailed(),
        new ConfirmationRequired(),
        new AlreadyRegistered(kind),
        new TooMany(`${kind}s`, 20),
      ],
    }),
  } as const;
}

async function add(deps: Deps, ctx: Context, credential: NewCredential): Promise<Reply> {
  const { kind } = credential;
  const added = fromStore(await accountPorts(deps).credentials.add(changingOf(ctx), credential));
  if ('id' in added) return [{ id: added.id }, `The ${kind} opens this account from now on.`];
  switch (added.refused) {
    case 'used':
      throw new SignInFailed();
    case 'unconfirmed':
      throw new ConfirmationRequired();
    default:
      throw addRefused(added.refused, kind, consoleConfig(deps));
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
    operation: () => ({
      operationId: kind === 'wallet' ? 'removeWallet' : 'removePasskey',
      tag: 'Security',
      summary: `Let a ${kind} no longer open the account`,
      description: 'Takes a confirmation. The last way to sign in stays.',
      examples: { removed: [{ id: 2 }, `The ${kind} was removed.`] },
      errors: [new ConfirmationRequired(), new NotInAccount(kind), new LastCredential()],
    }),
    handler:
      (deps) =>
      async ({ ctx, id }) => {
        switch (fromStore(await accountPorts(deps).credentials.remove(changingOf(ctx), kind, id))) {
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
