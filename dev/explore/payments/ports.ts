import type { SearchWork } from '../../../src/payments/flow/context.ts';
import {
  type ChainPort,
  type ChainReads,
  type Claim,
  type ClaimResult,
  DatabaseLostError,
  type PaymentRows,
  type PaymentUpkeep,
} from '../../../src/payments/ports.ts';
import { createFacilitator, type Post } from '../../../src/x402/facilitator.ts';
import type { Outcome, Run, Task } from '../engine/types.ts';
import type { Chain, Spending } from './chain.ts';
import { type Reply, settleOutcomes, spendingOf, verifyOutcomes } from './facilitator.ts';
import type { Ledger } from './ledger.ts';

// The ports of the payment code, on behalf of one task: each call is an operation that goes well or fails, at the moment
// that the explorer picks.

/** The failures of a scenario: each call may fail once more, at a cost. */
export interface Faults {
  readonly database: boolean;
  readonly chain: boolean;
  readonly facilitator: boolean;
  readonly search: boolean;
}

export const noFaults: Faults = { database: false, chain: false, facilitator: false, search: false };

export interface Backends {
  readonly run: Run;
  readonly ledger: Ledger;
  readonly chain: Chain;
  readonly faults: Faults;
  readonly network: string;
  readonly now: () => number;
  readonly chainAway: (task: Task) => void;
  readonly claims: (claim: Claim, result: ClaimResult) => void;
  readonly nodeBehind: (task: Task) => void;
  /** Called when a task requests a settlement. */
  readonly asksToSettle: (task: Task, spending: Spending, body: string) => void;
  readonly logLagBlocks: number;
  readonly searchFails: (task: Task) => void;
}

const lost = (): never => {
  throw new DatabaseLostError(new Error('cut'));
};

export function call<T>(
  { run, faults }: Backends,
  task: Task,
  name: string,
  work: () => T,
  writes: boolean,
): Promise<T> {
  const outcomes: Outcome<T>[] = [{ label: 'ok', cost: 0, apply: work }];
  if (faults.database) {
    outcomes.push({ label: 'database lost before', cost: 1, apply: lost });
    if (writes) {
      outcomes.push({
        label: 'done, and the database lost',
        cost: 1,
        apply() {
          work();
          return lost();
        },
      });
    }
  }
  return run.operation({ task, name, outcomes });
}

export function rowsPort(backends: Backends, task: Task): PaymentRows {
  const { ledger } = backends;
  const read = <T>(name: string, work: () => T): Promise<T> => call(backends, task, `ledger.${name}`, work, false);
  const write = <T>(name: string, work: () => T): Promise<T> => call(backends, task, `ledger.${name}`, work, true);
  return {
    claim: (claim) =>
      write('claim', () => {
        const result = ledger.claim(claim);
        backends.claims(claim, result);
        return result;
      }),
    history: (key) => read('history', () => ledger.history(key)),
    find: (key) => read('find', () => ledger.find(key)),
    isRecipient: (_token, address) => read('isRecipient', () => ledger.recipients.has(address)),
    advance: (row, event, change) => write(`${event} ${row.id}`, () => ledger.advance(row, event, change)),
    take: (row, owner, leaseMs) => write(`take ${row.id}`, () => ledger.take(row, owner, leaseMs)),
    renew: (row, leaseMs) => write(`renew ${row.id}`, () => ledger.renew(row, leaseMs)),
    delivered: (id) => write(`delivered ${id}`, () => ledger.delivered(id)),
  };
}

export function upkeepPort(backends: Backends, task: Task): PaymentUpkeep {
  const { ledger } = backends;
  const write = <T>(name: string, work: () => T): Promise<T> => call(backends, task, `ledger.${name}`, work, true);
  return {
    due: (max) => call(backends, task, 'ledger.due', () => ledger.due(max), false),
    looked: (id) => write(`looked ${id}`, () => ledger.looked(id)),
    clear: (keepMs) => write('clear', () => ledger.clear(keepMs)),
  };
}

export function chainReads(backends: Backends, task: Task): ChainReads {
  const { run, chain, faults, network, logLagBlocks } = backends;
  const away: Outcome<never> = {
    label: 'no answer',
    cost: 1,
    apply() {
      backends.chainAway(task);
      throw new Error('the chain gave no answer');
    },
  };
  const read = <T>(of: string, name: string, work: () => T, ...stale: readonly Outcome<T>[]): Promise<T> => {
    if (of !== network) return Promise.reject(new Error(`No node of ${of} is configured.`));
    const outcomes = [{ label: 'ok', cost: 0, apply: work }, ...(faults.chain ? [...stale, away] : [])];
    return run.operation({ task, name: `chain.${name}`, outcomes });
  };
  const behind = <T>(value: () => T): Outcome<T> => ({
    label: 'a node that is behind',
    cost: 1,
    apply() {
      backends.nodeBehind(task);
      return value();
    },
  });
  return {
    reorgBlocks: chain.reorgBlocks,
    blockSeconds: chain.blockSeconds,
    logRangeBlocks: 1_000,
    block: (of, which) =>
      which === 'latest'
        ? read(
            of,
            'head',
            () => chain.block(which),
            behind(() => chain.block(which, 1)),
          )
        : read(of, `block ${which}`, () => chain.block(which)),
    isSpent: ({ network: of, payer, nonce }, atBlock) =>
      read(of, `isSpent ${nonce.slice(-3)}`, () => chain.spent(payer, nonce, atBlock)),
    balance: ({ network: of }, owner, atBlock) => read(of, 'balance', () => chain.balance(owner, atBlock)),
    receipt: ({ network: of }, hash) =>
      read(
        of,
        `receipt ${hash.slice(-3)}`,
        () => chain.receipt(hash),
        behind(() => null),
      ),
    isKnown: ({ network: of }, hash) => read(of, `isKnown ${hash.slice(-3)}`, () => chain.isKnown(hash)),
    findUse: ({ network: of, payer, nonce }, fromBlock, toBlock) =>
      read(
        of,
        `findUse ${nonce.slice(-3)}`,
        () => chain.findUse(payer, nonce, fromBlock, Math.min(toBlock, chain.block('latest').number - logLagBlocks)),
        behind(() => null),
      ),
  };
}

/** Payers here sign with keys, so no contract is called. */
export function chainPort(backends: Backends, task: Task): ChainPort {
  return { ...chainReads(backends, task), signatureHolds: () => Promise.resolve(false) };
}

export function facilitatorPort(backends: Backends, task: Task) {
  const { run, chain, faults, now } = backends;
  const post: Post = (url, { body }) => {
    const spending = spendingOf(body);
    const verify = url.endsWith('/verify');
    const name = `facilitator.${verify ? 'verify' : 'settle'} ${spending.nonce.slice(-3)}`;
    if (!verify) backends.asksToSettle(task, spending, body);
    const all = (): readonly Outcome<Reply>[] =>
      verify ? verifyOutcomes(chain, spending, now()) : settleOutcomes(chain, spending);
    return run.operation({ task, name, outcomes: faults.facilitator ? all() : all().slice(0, 1) });
  };
  const settings = { url: 'http://facilitator', headers: {}, verifyTimeoutMs: 1, settleTimeoutMs: 1 };
  return createFacilitator(settings, post);
}

export function searchPort({ run, faults, searchFails }: Backends, task: Task, q: string): SearchWork {
  type Found = Awaited<ReturnType<SearchWork>>;
  const found: Found = { ok: true, data: { companies: [{ q }], people: [], investors: [] } };
  const failed: Found = { ok: false, reason: 'unreachable', cause: null };
  const outcomes: Outcome<Found>[] = [{ label: 'ok', cost: 0, apply: () => found }];
  const fail = (): Found => {
    searchFails(task);
    return failed;
  };
  if (faults.search) outcomes.push({ label: 'fails', cost: 1, apply: fail });
  return () => run.operation({ task, name: 'search', outcomes });
}
