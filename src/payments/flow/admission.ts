import type { AuthorizationKey, PayerHistory } from '../ports.ts';
import { checkTerms, type Refusal } from '../protocol/checks.ts';
import { type NetworkName, networkNames } from '../protocol/networks.ts';
import { lowerHex, type SentPayment } from '../protocol/payload.ts';
import { type AuthorizationSeen, type ChargeDeps, chainAway, type Outcome, type Proven, refused } from './context.ts';
import { isSamePayment } from './same-payment.ts';

// What a payment must show before anybody works for it, the cheapest first: its signature by our own arithmetic, then
// the payer's purse by our own node. Neither a row nor the facilitator's time is spent on who has no money.

/** Who may go on, and what was learnt on the way. */
export interface Admission {
  readonly key: AuthorizationKey;
  /** Why no new row may be made; a row that is there is judged by what it says itself. */
  readonly misfit: Refusal | null;
  readonly seen: AuthorizationSeen | null;
  /** The payer has paid before. */
  readonly paidBefore: boolean;
}

export type Admitted =
  | { readonly ok: true; readonly admission: Admission }
  | { readonly ok: false; readonly outcome: Outcome };

/** Rejects with `DatabaseLostError` only. */
export async function admit(proven: Proven, deps: ChargeDeps): Promise<Admitted> {
  const { sent } = proven;
  const misfit = checkTerms(sent, deps.terms);
  const key = keyOf(sent);
  if (key === null) {
    return stop(refused(misfit?.code ?? 'invalid_payload', misfit?.message ?? 'the payment names no token'));
  }
  const byKey = misfit === null && (await deps.signedByKey(sent, deps.terms.network));
  const history = await deps.rows.history(key);
  const known = history.row !== null && isSamePayment(history.row, proven);
  if (misfit !== null) {
    return known
      ? pass({ key, misfit, seen: null, paidBefore: history.paid })
      : stop(refused(misfit.code, misfit.message));
  }
  if (byKey && !history.seen && deps.poor?.has(key.from)) return stop(unfunded());
  // Whoever is not known, or can't be told from who names him, waits for one of few places, so that made-up payments
  // keep nobody else from the node.
  const leave = history.seen && (byKey || known) ? nothing : await deps.places.forLook(history.seen);
  if (leave === null) return stop(overloaded);
  try {
    return await admitByChain({ key, proven, history, known, byKey }, deps);
  } finally {
    leave();
  }
}

/** A payment that fits, as far as it is known without the chain. */
interface Candidate {
  readonly key: AuthorizationKey;
  readonly proven: Proven;
  readonly history: PayerHistory;
  /** There is a row of this very signature. */
  readonly known: boolean;
  /** The payer's own key has signed. */
  readonly byKey: boolean;
}

async function admitByChain(candidate: Candidate, deps: ChargeDeps): Promise<Admitted> {
  const { key, proven, history, known, byKey } = candidate;
  const unproven = byKey || known ? null : await proveByContract(proven.sent, deps);
  if (unproven !== null) return stop(unproven);
  const seen = isDecided(history) ? null : await look(key, proven, deps);
  if (seen?.funded === false) deps.poor?.add(key.from);
  const poor = known ? null : refusalOfPurse(history, seen);
  return poor === null ? pass({ key, misfit: null, seen, paidBefore: history.paid }) : stop(poor);
}

const nothing = (): void => undefined;

export const overloaded: Outcome = {
  kind: 'uncharged',
  code: 'overloaded',
  message: 'Too many payments are under way here just now.',
};

/** The authorization as rows are named; null where it is of no network that ever had rows. */
function keyOf({ accepted, authorization }: SentPayment): AuthorizationKey | null {
  const network = networkNames.find((name): name is NetworkName => name === accepted.network);
  if (network === undefined || !/^0x[0-9a-fA-F]{40}$/.test(accepted.asset)) return null;
  return { network, asset: lowerHex(accepted.asset), from: authorization.from, nonce: authorization.nonce };
}

/** Whether there is nothing more to learn from the chain about a new authorization: it has a row already. */
function isDecided({ row }: PayerHistory): boolean {
  return row !== null && row.status !== 'released' && row.status !== 'refused';
}

async function look(
  key: AuthorizationKey,
  proven: Proven,
  { chain, log }: ChargeDeps,
): Promise<AuthorizationSeen | null> {
  try {
    const { number } = await chain.block(key.network, 'latest');
    const [spent, balance] = await Promise.all([chain.isSpent(key, number), chain.balance(key, key.from, number)]);
    return { block: number, spent, funded: balance >= proven.sent.authorization.value };
  } catch (error) {
    log.warn({ err: error }, 'the chain gave no answer about a payer');
    return null;
  }
}

/** A payer who has rows may have paid with his last money for something that he never got: his rows are looked at. */
function refusalOfPurse(history: PayerHistory, seen: AuthorizationSeen | null): Outcome | null {
  // A used authorization is public: whoever shows it proves nothing, least of all a right to another one's result.
  if (seen?.spent) return spentBefore();
  if (seen !== null && !seen.funded && !history.seen) return unfunded();
  return null;
}

export function spentBefore(): Outcome {
  return refused('invalid_exact_evm_nonce_already_used', 'the authorization was used before');
}

export function unfunded(): Outcome {
  return refused('insufficient_funds', 'the payer has less than the amount in this token');
}

/** Only a proven payer may touch rows: a stranger can use up neither a victim's limit nor a victim's purchase. */
async function proveByContract(sent: SentPayment, deps: ChargeDeps): Promise<Outcome | null> {
  try {
    if (await deps.chain.signatureHolds(sent, deps.terms)) return null;
  } catch (error) {
    deps.log.warn({ err: error }, 'a contract wallet could not be asked about its signature');
    return chainAway('The signature of a contract wallet can not be checked just now.');
  }
  return refused('invalid_exact_evm_payload_signature', 'the signature is not of the payer, over these terms');
}

function pass(admission: Admission): Admitted {
  return { ok: true, admission };
}

function stop(outcome: Outcome): Admitted {
  return { ok: false, outcome };
}
