import { createHash } from 'node:crypto';
import type { Log } from '../log.ts';
import type { WalletSettings } from '../settings.ts';
import { createBudget } from './budget.ts';
import { dollars } from './dollars.ts';
import { chooseOffer, type PaymentRequired } from './offer.ts';
import { addressOf, signTransfer } from './sign.ts';

/** A signed payment as a call carries it in `_meta["x402/payment"]`. */
export interface Payment {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly amount: bigint;
  /** In seconds since 1970. */
  readonly validBefore: number;
}

/** Signs payments for calls, within the limits. */
export interface Payer {
  readonly address: string;
  /** The payment of an earlier, equal call that was not answered: it is sent again, so that nothing is paid twice. */
  open(call: unknown): Payment | undefined;
  /** A payment for what is asked; a sentence where none is signed. */
  pay(call: unknown, required: PaymentRequired): Payment | string;
  /** The call was answered, or its payment refused: it is not sent again. */
  close(call: unknown): void;
}

/** How long a payment can be collected at most, and how much of that must be left to send it again. */
const validSeconds = 300;
const leftSeconds = 20;
/** Calls whose payments are remembered; one call has one. */
const openMax = 1_000;
/** The service takes a payment of so many bytes, as base64; without what catalogues are told it is far below. */
const payloadMax = 5_500;

export function createPayer(
  wallet: WalletSettings,
  log: Log,
  nowSeconds = () => Math.floor(Date.now() / 1_000),
): Payer {
  const budget = createBudget(wallet);
  const open = new Map<string, Payment>();
  const identify = (call: unknown): string => createHash('sha256').update(JSON.stringify(call)).digest('hex');
  return {
    address: addressOf(wallet.privateKey),
    open(call) {
      const payment = open.get(identify(call));
      return payment !== undefined && payment.validBefore - nowSeconds() >= leftSeconds ? payment : undefined;
    },
    pay(call, required) {
      const choice = chooseOffer(required, wallet.network);
      if (typeof choice === 'string') return choice;
      const { offer, amount } = choice;
      const refusal = budget.take(amount);
      if (refusal !== null) return `Nothing was paid. ${refusal}`;
      const validBefore = nowSeconds() + Math.min(validSeconds, Math.floor(offer.maxTimeoutSeconds ?? validSeconds));
      const signed = signTransfer(wallet.privateKey, wallet.network, { to: offer.payTo, amount, validBefore });
      const payment = { payload: payloadOf(required, offer, signed), amount, validBefore };
      remember(open, identify(call), payment);
      log.info(
        `paying ${dollars(amount)} USD to ${offer.payTo}; signed for in this session: ${dollars(budget.spent)} USD`,
      );
      return payment;
    },
    close(call) {
      open.delete(identify(call));
    },
  };
}

function remember(open: Map<string, Payment>, id: string, payment: Payment): void {
  const [oldest] = open.keys();
  if (open.size >= openMax && oldest !== undefined) open.delete(oldest);
  open.set(id, payment);
}

/** What is asked for is repeated, with what catalogues are told where that is short enough. */
function payloadOf({ resource, extensions }: PaymentRequired, accepted: unknown, payload: unknown) {
  const plain = { x402Version: 2, resource, accepted, payload };
  const whole = { ...plain, ...(extensions === undefined ? {} : { extensions }) };
  return JSON.stringify(whole).length <= payloadMax ? whole : plain;
}
