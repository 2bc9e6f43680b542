import { z } from 'zod';
import type { Hex } from '../../../src/payments/protocol/networks.ts';
import type { Outcome } from '../engine/types.ts';
import type { Chain, Spending } from './chain.ts';

// A facilitator that does its work, or fails in every way in which one can, or lies. It answers in HTTP's terms: the real
// client reads its answers.

export interface Reply {
  readonly status: number;
  readonly text: string;
}

const asked = z.object({
  paymentPayload: z.object({
    payload: z.object({
      authorization: z.object({
        from: z.string(),
        to: z.string(),
        value: z.string(),
        validBefore: z.string(),
        nonce: z.string(),
      }),
    }),
  }),
});

const told = z.object({ paymentRequirements: z.object({ payTo: z.string(), amount: z.string() }) });

/** Returns true if the facilitator gets the terms that the payer has signed. */
export function saysWhatWasSigned(body: string, { to, value }: Spending): boolean {
  const { payTo, amount } = told.parse(JSON.parse(body)).paymentRequirements;
  return payTo.toLowerCase() === to && amount === `${value}`;
}

export function spendingOf(body: string): Spending {
  const { authorization } = asked.parse(JSON.parse(body)).paymentPayload.payload;
  return {
    kind: 'transfer',
    from: authorization.from as Hex,
    to: authorization.to.toLowerCase() as Hex,
    value: BigInt(authorization.value),
    nonce: authorization.nonce as Hex,
    validBefore: BigInt(authorization.validBefore),
  };
}

function network(code: string): never {
  throw Object.assign(new Error(code), { code });
}

const json = (value: object, status = 200): Reply => ({ status, text: JSON.stringify(value) });
const unmined = { success: false, transaction: '', network: 'eip155:84532' };

const outcome = (label: string, cost: number, apply: () => Reply): Outcome<Reply> => ({ label, cost, apply });
const refused = (label: string, cost = 1): Outcome<Reply> => ({ label, cost, apply: () => network('ECONNREFUSED') });

/** Possible outcomes of a verification: cost 0 is the truth. */
export function verifyOutcomes(chain: Chain, spending: Spending, nowMs: number): readonly Outcome<Reply>[] {
  return [
    { label: 'the truth', cost: 0, apply: () => json(truth(chain, spending, nowMs)) },
    refused('no connection'),
    { label: 'lost', cost: 1, apply: () => network('ECONNRESET') },
    { label: 'status 429', cost: 1, apply: () => ({ status: 429, text: '{}' }) },
    {
      label: 'says invalid',
      cost: 1,
      apply: () => json({ isValid: false, invalidReason: 'invalid_exact_evm_payload_signature' }),
    },
    outcome('says invalid, and sends it to the chain', 2, () => {
      chain.send([spending]);
      return json({ isValid: false, invalidReason: 'insufficient_funds' });
    }),
    outcome('lost, and sends it to the chain', 2, () => {
      chain.send([spending]);
      return network('ECONNRESET');
    }),
  ];
}

function truth(chain: Chain, { from, nonce, value, validBefore }: Spending, nowMs: number): object {
  const head = chain.block('latest').number;
  if (chain.spent(from, nonce, head)) {
    return { isValid: false, invalidReason: 'invalid_exact_evm_nonce_already_used' };
  }
  if (chain.balance(from, head) < value) return { isValid: false, invalidReason: 'insufficient_funds' };
  const late = BigInt(Math.floor(nowMs / 1_000)) + 6n >= validBefore;
  return late
    ? { isValid: false, invalidReason: 'invalid_exact_evm_payload_authorization_valid_before' }
    : { isValid: true };
}

/** Possible outcomes of a settlement: cost 0 is one that is mined before it is answered. */
export function settleOutcomes(chain: Chain, spending: Spending): readonly Outcome<Reply>[] {
  const send = (): Hex => chain.send([spending], true);
  const mined = (): Hex => {
    const hash = send();
    chain.mine();
    return hash;
  };
  const no = (label: string, errorReason: string): Outcome<Reply> => ({
    label: `says ${label}, nothing sent`,
    cost: 1,
    apply: () => json({ ...unmined, errorReason }),
  });
  const lie = (label: string, errorReason: string, cost: number): Outcome<Reply> => ({
    label: `says ${label}, and it is on its way`,
    cost,
    apply() {
      send();
      return json({ ...unmined, errorReason });
    },
  });
  return [
    { label: 'settled', cost: 0, apply: () => settledOrNot(chain, mined(), '') },
    refused('no connection'),
    { label: 'lost before it was received', cost: 1, apply: () => network('ECONNRESET') },
    outcome('lost after it was mined', 1, () => {
      mined();
      return network('ECONNRESET');
    }),
    outcome('lost, and it is on its way', 1, () => {
      send();
      return network('UND_ERR_HEADERS_TIMEOUT');
    }),
    {
      label: 'pending with its hash, as status 500',
      cost: 1,
      apply: () => json({ ...unmined, errorReason: 'settlement_pending', transaction: send() }, 500),
    },
    outcome('pending, and another transaction takes its place', 1, () => {
      send();
      return json({ ...unmined, errorReason: 'settlement_pending', transaction: `0x${'cd'.repeat(32)}` }, 500);
    }),
    no('something vague', 'unexpected_settle_error'),
    lie('something vague', 'unexpected_settle_error', 1),
    no('no funds', 'insufficient_funds'),
    lie('no funds', 'insufficient_funds', 2),
    no('too late', 'invalid_exact_evm_payload_authorization_valid_before'),
    no('nonce used', 'invalid_exact_evm_nonce_already_used'),
    { label: 'status 429, nothing sent', cost: 1, apply: () => ({ status: 429, text: 'slow down' }) },
    outcome('status 429, and it is on its way', 1, () => {
      send();
      return { status: 429, text: 'slow down' };
    }),
    outcome('no JSON, and it is on its way', 1, () => {
      send();
      return { status: 200, text: '<html>' };
    }),
    outcome('success without a hash', 1, () => {
      mined();
      return json({ success: true, transaction: '', network: 'eip155:84532' });
    }),
    {
      label: 'success with a made-up hash, nothing sent',
      cost: 1,
      apply: () => json({ success: true, transaction: `0x${'ab'.repeat(32)}`, network: 'eip155:84532' }),
    },
    outcome('settled twice over', 1, () => {
      const hash = mined();
      send();
      return settledOrNot(chain, hash, '');
    }),
  ];
}

function settledOrNot(chain: Chain, transaction: Hex, reason: string): Reply {
  const success = chain.receipt(transaction)?.success ?? false;
  if (success) return json({ success, transaction, network: 'eip155:84532' });
  return json({ ...unmined, transaction, errorReason: reason || 'invalid_exact_evm_transaction_failed' });
}
