import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Config } from './config/api.ts';
import type { PaidConfig } from './config/payments.ts';
import { sleepUnlessAborted } from './lib/sleep.ts';
import type { PurchaseDeps } from './payments/flow/context.ts';
import { processPurchase } from './payments/flow/purchase.ts';
import { retryInBackground } from './payments/flow/row-changes.ts';
import { createPaymentSlots, createUnfundedPayers } from './payments/flow/slots.ts';
import { networkOf } from './payments/protocol/assets.ts';
import { signedByKey } from './payments/protocol/signature.ts';
import { createPaidBackground, type PaidBackground } from './payments-background.ts';
import type { Clock, PaidSearch } from './ports.ts';
import { createPaymentRows } from './postgres/payments/payments.ts';
import { createChain } from './x402/chain.ts';
import { createFacilitator } from './x402/facilitator.ts';

/** The paid search of this process, with what goes on behind it. */
export interface Paid extends Omit<PaidBackground, 'ended'> {
  readonly search: PaidSearch;
  /**
   * Compares the configuration with what the chain says of itself. Resolves to a sentence when they contradict each
   * other; an unreachable node is no contradiction.
   */
  check(): Promise<string | null>;
  /** Requests that are under way are answered at once from now on. */
  shutDown(): void;
  /** Ends what goes on in the background; what the database has not taken yet is tried once more. */
  close(): Promise<void>;
}

/**
 * Connects the paid search. Opens nothing until it is used.
 * @param pool of its own, which it ends: no crowd at the keyed API stands between a payment and its row
 */
export function connectPaid(
  config: PaidConfig,
  pool: Pool,
  postgres: Config['postgres'],
  clock: Clock,
  log: Logger,
): Paid {
  // The server's own limit comes first, unless the connection is dead.
  const queryTimeoutMs = postgres.statementTimeoutMs + 500;
  const settings = { queryTimeoutMs, ...config.rows };
  const rows = createPaymentRows(pool, settings);
  const chain = createChain(config.chain, networkOf(config.terms.asset));
  const shutdown = new AbortController();
  const closing = new AbortController();
  const retries = new Set<Promise<void>>();
  const retrying = { elapsed: clock.elapsed, sleep: sleepUnlessAborted, closing: closing.signal, log };

  const inBackground: PurchaseDeps['retryInBackground'] = (what, action) => {
    const work = retryInBackground(what, action, retrying).finally(() => retries.delete(work));
    retries.add(work);
  };
  const deps: PurchaseDeps = {
    terms: config.terms,
    limits: config.limits,
    rows,
    facilitator: createFacilitator(config.facilitator),
    chain,
    clock,
    sleep: sleepUnlessAborted,
    newOwner: randomUUID,
    signedByKey,
    slots: createPaymentSlots(config.concurrentMax, config.limits.openMax),
    unfundedPayers: createUnfundedPayers(),
    retryInBackground: inBackground,
    log,
  };
  const around = { clock, log, closing: closing.signal };
  const { ended, ...background } = createPaidBackground(config, { pool, settings, chain }, around);
  return {
    search: {
      terms: config.terms,
      publicUrl: config.publicUrl,
      bazaar: config.bazaar,
      purchase: (request) => processPurchase({ ...request, shutdownSignal: shutdown.signal }, deps),
    },
    check: () => contradiction(config, chain, log),
    ...background,
    shutDown: () => shutdown.abort(),
    async close() {
      shutdown.abort();
      closing.abort();
      await Promise.all([...retries, ended()]);
      await pool.end();
    },
  };
}

async function contradiction(
  config: PaidConfig,
  chain: ReturnType<typeof createChain>,
  log: Logger,
): Promise<string | null> {
  const { asset } = config.terms;
  const network = networkOf(asset);
  try {
    const id = await chain.chainId();
    if (id !== network.chainId) {
      return `X402_RPC_URL is a node of chain ${id}, and X402_NETWORK is ${network.name}: correct one of them.`;
    }
    const { name, version } = await chain.domain(asset);
    if (name === asset.domain.name && version === asset.domain.version) return null;
    return `The token ${asset.address} calls itself "${name}" version "${version}", payers would sign for "${asset.domain.name}" version "${asset.domain.version}": X402_RPC_URL is not a node of ${network.title}.`;
  } catch (error) {
    log.warn({ err: error }, 'the chain could not be asked about its token; payments are checked as they come');
    return null;
  }
}
