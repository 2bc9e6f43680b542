import type { PurchaseDeps } from '../../../src/payments/flow/context.ts';
import {
  type AuditedChain,
  type AuditLedger,
  auditOnce,
  type Finding,
  type Recipient,
} from '../../../src/payments/ledger/audit.ts';
import { observeOnce } from '../../../src/payments/ledger/observe.ts';
import { DatabaseLostError } from '../../../src/payments/ports.ts';
import { lowerHex } from '../../../src/payments/protocol/payload.ts';
import type { Terms } from '../../../src/payments/protocol/terms.ts';
import type { Task } from '../engine/types.ts';
import { type Backends, call, chainPort, chainReads, facilitatorPort, rowsPort, upkeepPort } from './ports.ts';
import { keepMs, limits } from './scenario.ts';
import { signatureOver } from './signing.ts';

// The real code that the processes run: purchases, passes of observers, and comparisons of ledger and chain.

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

function sleeper({ run }: Backends, task: Task) {
  return (ms: number, signal: AbortSignal): Promise<void> => run.sleep(task, ms, signal).catch(() => undefined);
}

export function purchaseDeps(
  backends: Backends,
  task: Task,
  { terms, skewMs, owner }: { readonly terms: Terms; readonly skewMs: number; readonly owner: string },
): PurchaseDeps {
  const sleep = sleeper(backends, task);
  const elapsed = (): number => backends.run.now();
  return {
    terms,
    limits,
    rows: rowsPort(backends, task),
    facilitator: facilitatorPort(backends, task),
    chain: chainPort(backends, task),
    clock: { now: () => backends.now() + skewMs, elapsed },
    sleep,
    newOwner: () => owner,
    signedByKey: async ({ signature, authorization: { nonce, validBefore } }) =>
      signature === signatureOver(nonce, validBefore),
    slots: {
      countAttempt: () => () => undefined,
      acquireLookup: async () => () => undefined,
      acquirePayment: () => ({ release: () => undefined }),
    },
    log: silent,
  };
}

/** One pass of an observer, which a lost database ends. */
export async function observePass(backends: Backends, task: Task, passMax: number): Promise<void> {
  const upkeep = upkeepPort(backends, task);
  const deps = {
    rows: rowsPort(backends, task),
    upkeep,
    chain: chainReads(backends, task),
    passMax,
    log: silent,
  };
  try {
    await observeOnce(deps, new AbortController().signal);
    await upkeep.clear(keepMs);
  } catch (error) {
    if (!(error instanceof DatabaseLostError)) throw error;
  }
}

/** Open findings, by recipient. */
export type Findings = Map<string, readonly Finding[]>;

/** Compares every recipient once. Returns false if the database or the node gave no answer. */
export async function auditPass(backends: Backends, task: Task, terms: Terms, findings: Findings): Promise<boolean> {
  const deps = {
    chain: auditedChain(backends, task),
    rows: rowsPort(backends, task),
    ledger: auditLedger(backends, task, findings),
    terms,
    keepMs,
    log: silent,
  };
  try {
    const audits = await auditOnce(deps, {}, new AbortController().signal);
    return audits.every(({ state }) => state === 'done');
  } catch (error) {
    if (error instanceof DatabaseLostError) return false;
    throw error;
  }
}

function auditedChain(backends: Backends, task: Task): AuditedChain {
  const { run, chain, logLagBlocks } = backends;
  const shown = (payTo: Recipient['payTo'], from: number, to: number) =>
    chain
      .transfersTo(payTo)
      .map(({ transaction, block, from: payer, value: amount }, logIndex) => ({
        transaction,
        block,
        logIndex,
        payer,
        amount,
      }))
      .filter(({ block }) => block >= from && block <= Math.min(to, chain.block('latest').number - logLagBlocks));
  return {
    ...chainReads(backends, task),
    transfersTo({ payTo }, { fromBlock, toBlock }) {
      const outcomes = [{ label: 'ok', cost: 0, apply: () => shown(payTo, fromBlock, toBlock) }];
      return run.operation({ task, name: 'chain.transfersTo', outcomes });
    },
  };
}

function auditLedger(backends: Backends, task: Task, findings: Findings): AuditLedger {
  const { ledger } = backends;
  const ask = <T>(name: string, work: () => T): Promise<T> => call(backends, task, `audit.${name}`, work, true);
  const none = async (): Promise<readonly number[]> => [];
  return {
    recipients: ({ network, asset }) =>
      ask('recipients', () => [...ledger.recipients].map((payTo) => ({ network, asset, payTo: lowerHex(payTo) }))),
    begin: async () => ({ nextBlock: null }),
    end: async () => undefined,
    openBlocks: none,
    rows: ({ payTo }, { fromBlock, toBlock }, transfers) =>
      ask('rows', () =>
        ledger
          .stored()
          .filter(({ base }) => base.payTo === payTo)
          .map(({ id, base: { payer, nonce, amount }, transaction, block, status }) => {
            return { id, payer, nonce, amount, transaction, block, settled: status === 'settled' };
          })
          .filter(({ settled, block, transaction, payer }) => {
            if (transfers.some((moved) => moved.transaction === transaction)) return true;
            if (!settled) return transfers.some((moved) => moved.payer === payer);
            return block !== null && block >= fromBlock && block <= toBlock;
          }),
      ),
    report: ({ payTo }, _blocks, found) =>
      ask('report', () => {
        findings.set(payTo, found);
        return found.length;
      }),
  };
}

/** Returns the open findings as text. */
export function findingsText(findings: Findings): string {
  return [...findings.values()]
    .flatMap((found) => found.map(({ kind, transaction }) => `${kind} ${transaction}`))
    .join();
}
