import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Config } from './config/api.ts';
import type { PaidConfig } from './config/payments.ts';
import { sleepUnlessAborted } from './lib/sleep.ts';
import type { PurchaseDeps } from './payments/flow/context.ts';
import { processPurchase } from './payments/flow/purchase.ts';
import { createPaymentSlots } from './payments/flow/slots.ts';
import { auditOnce, type RecipientAudit } from './payments/ledger/audit.ts';
import { observeOnce, type PaymentFigures } from './payments/ledger/observe.ts';
import type { PaymentRows } from './payments/ports.ts';
import { networkOf } from './payments/protocol/assets.ts';
import { signedByKey } from './payments/protocol/signature.ts';
import type { Clock, PaidSearch } from './ports.ts';
import { createAuditLedger } from './postgres/payments/audit.ts';
import type { PaymentRowSettings } from './postgres/payments/payment-row.ts';
import { createPaymentRows } from './postgres/payments/payments.ts';
import { createPaymentUpkeep, readPaymentFigures } from './postgres/payments/upkeep.ts';
import { type ChainNode, createChain } from './x402/chain.ts';
import { createFacilitator } from './x402/facilitator.ts';

/** The paid search of this process with its background work: the observer, and the audit of the ledger. */
export interface PaymentService {
  readonly search: PaidSearch;
  /**
   * Compares the configuration with the chain. Resolves to a sentence if they differ, or null if the node is
   * unreachable.
   */
  check(): Promise<string | null>;
  /** Starts to observe and audit at intervals. */
  start(): void;
  /** Observes unfinished payments once, and counts them. */
  observe(): Promise<void>;
  /** Audits once, except recipients whose audit began within `restMs`. */
  audit(restMs: number): Promise<readonly RecipientAudit[]>;
  /** Returns the last figures; null if they are unknown, or the last pass failed. */
  figures(): PaymentFigures | null;
  /** From now on, requests in progress are answered immediately. */
  shutDown(): void;
  /** Stops the background work. */
  close(): Promise<void>;
}

/** Maximum number of rows per pass of the observer. */
const passMax = 200;

/**
 * Connects the paid search. Opens no connection until it is used.
 * @param pool a separate pool, which it ends, so that payments don't wait for requests of the keyed API
 */
export function connectPaid(
  config: PaidConfig,
  pool: Pool,
  postgres: Config['postgres'],
  clock: Clock,
  log: Logger,
): PaymentService {
  // The server's own limit comes first, unless the connection is dead.
  const settings = { queryTimeoutMs: postgres.statementTimeoutMs + 500, ...config.rows };
  const shared = {
    rows: createPaymentRows(pool, settings),
    chain: createChain(config.chain, networkOf(config.terms.asset)),
    newOwner: randomUUID,
    log,
  };
  const shutdown = new AbortController();
  const closing = new AbortController();
  const loops: Promise<void>[] = [];
  const deps: PurchaseDeps = {
    ...shared,
    terms: config.terms,
    limits: config.limits,
    facilitator: createFacilitator(config.facilitator),
    clock,
    sleep: sleepUnlessAborted,
    signedByKey,
    slots: createPaymentSlots(config.concurrentMax, config.limits.openMax, clock.elapsed),
  };
  const upkeep = connectUpkeep(config, { ...shared, pool, settings, closing: closing.signal });
  return {
    ...upkeep,
    search: {
      terms: config.terms,
      publicUrl: config.publicUrl,
      purchase: (request) => processPurchase({ ...request, shutdownSignal: shutdown.signal }, deps),
    },
    check: () => contradiction(config, shared.chain, log),
    start() {
      const { observer, audit } = config;
      const { signal } = closing;
      // All processes together audit about once in that time.
      const auditByTurns = () => upkeep.audit(audit.everyMs / 2);
      loops.push(
        repeat(upkeep.observe, observer.everyMs, signal, (err) => log.warn({ err }, 'payments could not be observed')),
        repeat(auditByTurns, audit.everyMs, signal, (err) => log.warn({ err }, 'payments could not be audited')),
      );
    },
    shutDown: () => shutdown.abort(),
    async close() {
      shutdown.abort();
      closing.abort();
      await Promise.all(loops);
      await pool.end();
    },
  };
}

interface UpkeepDeps {
  readonly rows: PaymentRows;
  readonly chain: ChainNode;
  readonly newOwner: () => string;
  readonly pool: Pool;
  readonly settings: PaymentRowSettings;
  readonly closing: AbortSignal;
  readonly log: Logger;
}

/** Connects the background work on the ledger. */
function connectUpkeep(config: PaidConfig, deps: UpkeepDeps): Pick<PaymentService, 'observe' | 'audit' | 'figures'> {
  const { pool, settings, closing } = deps;
  const { network } = config.terms.asset;
  const upkeep = createPaymentUpkeep(pool, settings, network);
  const audited = {
    ...deps,
    ledger: createAuditLedger(pool, settings),
    terms: config.terms,
    keepMs: config.observer.keepMs,
  };
  let figures: PaymentFigures | null = null;
  return {
    async observe() {
      try {
        await observeOnce({ ...deps, upkeep, passMax }, closing);
        await upkeep.clear(config.observer.keepMs);
        figures = await readPaymentFigures(pool, settings, network);
      } catch (error) {
        figures = null;
        throw error;
      }
    },
    audit: (restMs) => auditOnce(audited, { turn: { restMs, rangesMax: config.audit.rangesMax } }, closing),
    figures: () => figures,
  };
}

async function repeat(
  work: () => Promise<unknown>,
  everyMs: number,
  closing: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<void> {
  while (!closing.aborted) {
    try {
      await work();
    } catch (error) {
      // Work that was cancelled because the process ends has not failed.
      if (!closing.aborted) onFailure(error);
    }
    await sleepUnlessAborted(everyMs, closing);
  }
}

async function contradiction(config: PaidConfig, chain: ChainNode, log: Logger): Promise<string | null> {
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
    log.warn({ err: error }, 'the chain did not return its token; each payment is checked instead');
    return null;
  }
}
