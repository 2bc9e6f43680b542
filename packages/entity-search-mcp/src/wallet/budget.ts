import { dollars } from './dollars.ts';

/** What the wallet may still spend, in millionths of a dollar. */
export interface Budget {
  /** Takes an amount before it is signed for; a sentence where that is too much, and then nothing is taken. */
  take(amount: bigint): string | null;
  /** What was signed for so far, whether or not it was collected. */
  readonly spent: bigint;
}

/**
 * A session's budget. Nothing is ever given back: who has a signed authorization can collect it until it expires, also after
 * saying that it was refused, so the limit only holds if every signature counts.
 */
export function createBudget(limits: { readonly maxPerCall: bigint; readonly maxPerSession: bigint }): Budget {
  let spent = 0n;
  return {
    take(amount) {
      if (amount > limits.maxPerCall) {
        return `The service asks for ${dollars(amount)} USD, and one call may cost ${dollars(limits.maxPerCall)} USD: raise ENTITY_SEARCH_MAX_USD_PER_CALL if that price is right.`;
      }
      if (spent + amount > limits.maxPerSession) {
        return `This search costs ${dollars(amount)} USD, and of the session's ${dollars(limits.maxPerSession)} USD ${dollars(spent)} are spent: restart the server for a new session, or raise ENTITY_SEARCH_MAX_USD_PER_SESSION.`;
      }
      spent += amount;
      return null;
    },
    get spent() {
      return spent;
    },
  };
}
