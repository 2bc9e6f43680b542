import { z } from 'zod';
import type { NewCredential } from '../../../account/credentials.ts';
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
import { accountComponents, accountOperation, idParameter } from '../../openapi/account-operation.ts';
import { envelopeOf, exampleOf } from '../../openapi/components.ts';
import { readJson } from '../../request/read-json.ts';
import { changingOf } from '../actor.ts';
import { answer, fromStore } from '../answer.ts';
import { accountPorts, consoleConfig } from '../console.ts';
import { addRefused, newPasskey } from '../credentials/credential-body.ts';
import { readNewPasskeyProof } from '../credentials/passkey-response.ts';
import { readWalletProof, signedMessage } from '../credentials/signed-message.ts';
import { pathId } from '../path-id.ts';

type Kind = NewCredential['kind'];

const addGates = ['slot', 'same origin', 'attempt', 'session'] as const;
const removeGates = ['slot', 'same origin', 'session'] as const;

const idAnswer = envelopeOf(z.strictObject({ id: z.int().positive() })).register(accountComponents, {
  id: 'CredentialAnswer',
});

/** POST /account/api/wallets: from then on it opens the account. Takes a confirmation and the wallet's own signature. */
export const addedWallet: Endpoint = {
  method: 'post',
  path: '/account/api/wallets',
  gates: addGates,
  operation: () => addOperation('wallet', signedMessage),
  handler(deps) {
    const config = consoleConfig(deps);
    return async (ctx) => {
      const signed = await readJson(ctx, signedMessage, config.bodyMaxBytes);
      const asked = { purpose: 'add', accountId: changingOf(ctx).accountId } as const;
      await add(deps, ctx, { kind: 'wallet', ...(await readWalletProof(deps, ctx, signed, asked)) });
    };
  },
};

/** POST /account/api/passkeys. */
export const addedPasskey: Endpoint = {
  method: 'post',
  path: '/account/api/passkeys',
  gates: addGates,
  operation: () => addOperation('passkey', newPasskey),
  handler(deps) {
    const config = consoleConfig(deps);
    return async (ctx) => {
      const made = await readJson(ctx, newPasskey, config.bodyMaxBytes);
      const asked = { purpose: 'add', accountId: changingOf(ctx).accountId } as const;
      await add(deps, ctx, { kind: 'passkey', ...(await readNewPasskeyProof(deps, ctx, made, asked)) });
    };
  },
};

function addOperation(kind: Kind, body: z.ZodType) {
  return accountOperation({
    operationId: kind === 'wallet' ? 'addWallet' : 'addPasskey',
    tag: 'Security',
    summary: `Let a ${kind} open the account`,
    description: 'Takes a confirmation, and an answer to a challenge with the purpose "add".',
    gates: addGates,
    body,
    status: 201,
    answer: idAnswer,
    examples: { added: exampleOf({ id: 2 }, `The ${kind} opens this account from now on.`) },
    errors: [new SignInFailed(), new ConfirmationRequired(), new AlreadyRegistered(kind), new TooMany(`${kind}s`, 20)],
  });
}

async function add(deps: Deps, ctx: Context, credential: NewCredential): Promise<void> {
  const { kind } = credential;
  const added = fromStore(await accountPorts(deps).credentials.add(changingOf(ctx), credential));
  if ('id' in added) {
    ctx.status = 201;
    return answer(ctx, deps.clock, { id: added.id }, `The ${kind} opens this account from now on.`);
  }
  switch (added.refused) {
    case 'used':
      throw new SignInFailed();
    case 'unconfirmed':
      throw new ConfirmationRequired();
    default:
      throw addRefused(added.refused, kind, consoleConfig(deps));
  }
}

/** DELETE /account/api/wallets/{id}. Takes a confirmation. */
export const removedWallet = removal('wallet');
/** DELETE /account/api/passkeys/{id}. */
export const removedPasskey = removal('passkey');

function removal(kind: Kind): Endpoint {
  return {
    method: 'delete',
    path: `/account/api/${kind}s/{id}`,
    gates: removeGates,
    operation: () =>
      accountOperation({
        operationId: kind === 'wallet' ? 'removeWallet' : 'removePasskey',
        tag: 'Security',
        summary: `Let a ${kind} no longer open the account`,
        description: 'Takes a confirmation. The last way to sign in stays.',
        gates: removeGates,
        parameters: [idParameter('id', `The ${kind}'s id`)],
        answer: idAnswer,
        examples: { removed: exampleOf({ id: 2 }, `The ${kind} was removed.`) },
        errors: [new ConfirmationRequired(), new NotInAccount(kind), new LastCredential()],
      }),
    handler: (deps) => async (ctx) => {
      const id = pathId(ctx, kind);
      switch (fromStore(await accountPorts(deps).credentials.remove(changingOf(ctx), kind, id))) {
        case 'removed':
          return answer(ctx, deps.clock, { id }, `The ${kind} was removed.`);
        case 'missing':
          throw new NotInAccount(kind);
        case 'last':
          throw new LastCredential();
        case 'unconfirmed':
          throw new ConfirmationRequired();
      }
    },
  };
}
