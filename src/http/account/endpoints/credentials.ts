import { z } from 'zod';
import type { NewCredential } from '../../../account/credentials.ts';
import { instant } from '../../../lib/wire-schema.ts';
import { SignInFailed } from '../../errors/account-errors.ts';
import { type AccountRoute, accountEndpoint } from '../account-endpoint.ts';
import {
  eitherCredential,
  knownPasskey,
  newPasskey,
  readKnownCredential,
  readNewCredential,
  refusalError,
  signedMessage,
} from '../credentials/credentials.ts';
import { changingOf } from '../middleware/session.ts';

type Kind = NewCredential['kind'];

const gates = ['slot', 'same origin', 'attempt', 'session'] as const;

/** Proof of a wallet or passkey allows one change of them within five minutes. */
export const confirmSession = accountEndpoint({
  method: 'post',
  path: 'session/confirmation',
  gates,
  body: eitherCredential(knownPasskey, {}),
  answer: z.strictObject({ confirmed: z.literal(true), until: instant }),
  handler: async ({ body, ...context }) => {
    const who = changingOf(context.ctx);
    const credential = await readKnownCredential(context, body, { purpose: 'confirm', accountId: who.accountId });
    const until = await context.account.credentials.confirm(who, credential);
    if (until === null) throw new SignInFailed();
    return [
      { confirmed: true, until: until.toISOString() },
      'Confirmed: one wallet or passkey may be added or removed now.',
    ];
  },
});

const idAnswer = z.strictObject({ id: z.int().positive() });

export const addedWallet = addition('wallet', signedMessage);
export const addedPasskey = addition('passkey', newPasskey);

function addition<Kind extends NewCredential['kind'], Body extends typeof signedMessage | typeof newPasskey>(
  kind: Kind,
  body: Body,
): AccountRoute {
  return accountEndpoint({
    method: 'post',
    path: `${kind}s`,
    gates,
    body,
    status: 201,
    answer: idAnswer,
    handler: async ({ body: given, ...context }) => {
      const who = changingOf(context.ctx);
      const asked = { purpose: 'add', accountId: who.accountId } as const;
      const credential = await readNewCredential(context, { [kind]: given }, asked);
      const added = await context.account.credentials.add(who, credential);
      if (typeof added === 'string') throw refusalError(added, kind, context.config);
      return [{ id: added }, `The ${kind} opens this account from now on.`];
    },
  });
}

export const removedWallet = removal('wallet');
export const removedPasskey = removal('passkey');

function removal(kind: Kind): AccountRoute {
  return accountEndpoint({
    method: 'delete',
    path: `${kind}s/{id}`,
    gates: ['slot', 'same origin', 'session'],
    id: kind,
    answer: idAnswer,
    handler: async ({ account, config, ctx, id }) => {
      const refusal = await account.credentials.remove(changingOf(ctx), kind, id);
      if (refusal !== null) throw refusalError(refusal, kind, config);
      return [{ id }, `The ${kind} was removed.`];
    },
  });
}
