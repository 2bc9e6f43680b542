import type { AuthorizationKey, PayerHistory } from '../ports.ts';
import { checkTerms } from '../protocol/checks.ts';
import { type NetworkName, networkNames } from '../protocol/networks.ts';
import { lowerHex, type PaymentPayload } from '../protocol/payload.ts';
import { isSamePayment } from './existing.ts';
import { chainUnavailable, insufficientFunds, type Outcome, overloaded, refused, spentBefore } from './outcome.ts';
import type { Admission, AuthorizationState, PaymentAttempt, PurchaseDeps } from './purchase-types.ts';

// What a payment must show before anybody works for it, the cheapest first: its signature by our own arithmetic, then
// the payer's balance by our own node. Neither a row nor the facilitator's time is spent on who has no money.

type Admitted = Admission & { readonly kind: 'admitted' };

/** What was learnt of a payment that may go on, or why it may not. Rejects with `DatabaseLostError` only. */
export async function admit(attempt: PaymentAttempt): Promise<Admitted | Outcome> {
  const { payment, deps } = attempt;
  const refusal = checkTerms(payment, deps.terms);
  const key = keyOf(payment);
  if (key === null) {
    return refused(refusal?.code ?? 'invalid_payload', refusal?.message ?? 'the payment names no token');
  }
  const byKey = refusal === null && (await deps.signedByKey(payment, deps.terms.asset));
  const history = await deps.rows.history(key);
  const known = history.row !== null && isSamePayment(history.row, attempt);
  const admission: Admission = { key, refusal, onChain: null, paidBefore: history.paid };
  if (refusal === null) return admitByChain({ attempt, history, known, byKey }, admission);
  return known ? { kind: 'admitted', ...admission } : refused(refusal.code, refusal.message);
}

/** A payment of our terms, as far as it is known without the chain. */
interface Candidate {
  readonly attempt: PaymentAttempt;
  readonly history: PayerHistory;
  /** There is a row of this very signature. */
  readonly known: boolean;
  /** The payer's own key has signed. */
  readonly byKey: boolean;
}

async function admitByChain(candidate: Candidate, admission: Admission): Promise<Admitted | Outcome> {
  const { attempt, history, known, byKey } = candidate;
  const { payment, deps } = attempt;
  const { key } = admission;
  if (byKey && !history.seen && deps.unfundedPayers?.has(key.payer)) return insufficientFunds();
  // Whoever is not known, or can't be told from who names him, waits for one of few slots, so that made-up payments
  // keep nobody else from the node.
  const release = history.seen && (byKey || known) ? () => undefined : await deps.slots.acquireLookup(history.seen);
  if (release === null) return overloaded();
  try {
    const unproven = byKey || known ? null : await checkContractSignature(payment, deps);
    if (unproven !== null) return unproven;
    const onChain = hasOpenRow(history) ? null : await readAuthorization(key, payment, deps);
    if (onChain?.funded === false) deps.unfundedPayers?.add(key.payer);
    return (known ? null : refusalByChain(history, onChain)) ?? { kind: 'admitted', ...admission, onChain };
  } finally {
    release();
  }
}

/** The authorization as rows are named; null where it is of no network that ever had rows. */
function keyOf({ accepted, authorization }: PaymentPayload): AuthorizationKey | null {
  const network = networkNames.find((name): name is NetworkName => name === accepted.network);
  if (network === undefined || !/^0x[0-9a-fA-F]{40}$/.test(accepted.asset)) return null;
  return { network, asset: lowerHex(accepted.asset), payer: authorization.from, nonce: authorization.nonce };
}

/** Then there is nothing more to learn from the chain about the authorization: its row says it. */
function hasOpenRow({ row }: PayerHistory): boolean {
  return row !== null && row.status !== 'released' && row.status !== 'refused';
}

async function readAuthorization(
  key: AuthorizationKey,
  { authorization }: PaymentPayload,
  { chain, log }: PurchaseDeps,
): Promise<AuthorizationState | null> {
  try {
    const { number } = await chain.block(key.network, 'latest');
    const [spent, balance] = await Promise.all([chain.isSpent(key, number), chain.balance(key, key.payer, number)]);
    return { block: number, spent, funded: balance >= authorization.value };
  } catch (error) {
    log.warn({ err: error }, 'the chain gave no answer about a payer');
    return null;
  }
}

/** A payer who has rows may have paid with his last money for something that he never got: his rows are looked at. */
function refusalByChain(history: PayerHistory, onChain: AuthorizationState | null): Outcome | null {
  // A used authorization is public: whoever shows it proves nothing, least of all a right to another one's result.
  if (onChain?.spent) return spentBefore();
  if (onChain !== null && !onChain.funded && !history.seen) return insufficientFunds();
  return null;
}

/** Only a proven payer may touch rows: a stranger can use up neither a victim's limit nor a victim's purchase. */
async function checkContractSignature(payment: PaymentPayload, deps: PurchaseDeps): Promise<Outcome | null> {
  try {
    if (await deps.chain.signatureHolds(payment, deps.terms)) return null;
  } catch (error) {
    deps.log.warn({ err: error }, 'a contract wallet could not be asked about its signature');
    return chainUnavailable('The signature of a contract wallet can not be checked just now.');
  }
  return refused('invalid_exact_evm_payload_signature', 'the signature is not of the payer, over these terms');
}
