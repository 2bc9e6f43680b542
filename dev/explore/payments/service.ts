import type { PurchaseDeps } from '../../../src/payments/flow/context.ts';
import { observeOnce } from '../../../src/payments/ledger/observe.ts';
import { DatabaseLostError } from '../../../src/payments/ports.ts';
import type { Terms } from '../../../src/payments/protocol/terms.ts';
import type { Task } from '../engine/types.ts';
import { type Backends, chainPort, chainReads, facilitatorPort, rowsPort, upkeepPort } from './ports.ts';
import { keepMs, limits } from './scenario.ts';
import { signatureOver } from './signing.ts';

export const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

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
