import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { PaidConfig } from './config/payments.ts';
import { sleepUnlessAborted } from './lib/sleep.ts';
import { type AccountAudit, auditOnce } from './payments/ledger/audit-run.ts';
import type { PaymentFigures } from './payments/ledger/observe.ts';
import { observeOnce } from './payments/ledger/observe.ts';
import type { Clock } from './ports.ts';
import { createAuditPositions } from './postgres/payments/audit.ts';
import type { PaymentRowSettings } from './postgres/payments/payment-row.ts';
import { createPaymentRows } from './postgres/payments/payments.ts';
import { createPaymentUpkeep, readPaymentFigures } from './postgres/payments/upkeep.ts';
import type { ChainNode } from './x402/chain.ts';

// What goes on beside the requests for payments: the observer, and the comparison of the ledger with the chain.

export interface PaidBackground {
  /** Begins to look after payments left behind, and to audit, again and again. */
  start(): void;
  /** Looks after them once, and counts. */
  observe(): Promise<void>;
  /** Audits once; leaves alone what was audited within `restMs`. */
  audit(restMs: number): Promise<readonly AccountAudit[]>;
  /** What was counted last; null where that is not known, or too old. */
  figures(): PaymentFigures | null;
  /** Resolves when nothing of it is under way any more; ends by the signal. */
  ended(): Promise<unknown>;
}

/** Rows that one pass of the observer looks at. */
const passMax = 200;
/** So many passes of the observer may fail before what was counted is not believed any more. */
const passesBelieved = 3;
/** The least time for which it is believed, in milliseconds. */
const believedMs = 60_000;

/** @param closing ends what is under way */
export function createPaidBackground(
  config: PaidConfig,
  { pool, settings, chain }: { readonly pool: Pool; readonly settings: PaymentRowSettings; readonly chain: ChainNode },
  { clock, log, closing }: { readonly clock: Clock; readonly log: Logger; readonly closing: AbortSignal },
): PaidBackground {
  const network = config.terms.asset.network;
  const { leaseMs } = config.limits;
  const rows = createPaymentRows(pool, settings);
  const upkeep = createPaymentUpkeep(pool, settings, network);
  const positions = createAuditPositions(pool, settings);
  const newOwner = randomUUID;
  let counted: { readonly figures: PaymentFigures; readonly atMs: number } | null = null;
  const count = async (): Promise<void> => {
    const before = counted?.figures.payments.no_node ?? 0;
    const figures = await readPaymentFigures(pool, settings, network);
    counted = { figures, atMs: clock.elapsed() };
    const { no_node: payments } = figures.payments;
    if (payments > 0 && payments !== before) {
      log.warn({ payments, network }, 'payments stay open: they are of a network of which no node is configured');
    }
  };
  const observe = async (): Promise<void> => {
    await observeOnce({ rows, upkeep, chain, newOwner, leaseMs, passMax, log }, closing);
    await upkeep.clear(config.observer.keepMs);
    await count();
  };
  const audit = async (restMs: number): Promise<readonly AccountAudit[]> => {
    const audits = await auditOnce(
      { chain, rows, positions, network, newOwner, leaseMs, log },
      { restMs, sums: false },
      closing,
    );
    for (const { account, state } of audits) {
      if (state === 'node_behind') log.warn(account, 'the audit waits for the node, which is behind');
    }
    return audits;
  };
  let under: readonly Promise<void>[] = [];
  return {
    observe,
    audit,
    figures: () => believed(counted, config.observer.everyMs, clock),
    start() {
      const { everyMs } = config.audit;
      under = [
        repeat(config.observer.everyMs, closing, observe, (err) =>
          log.warn({ err }, 'payments could not be looked after'),
        ),
        // All processes together audit about once in that time.
        repeat(
          everyMs,
          closing,
          () => audit(everyMs / 2),
          (err) => log.warn({ err }, 'payments could not be audited'),
        ),
      ];
    },
    ended: () => Promise.all(under),
  };
}

function believed(
  counted: { readonly figures: PaymentFigures; readonly atMs: number } | null,
  everyMs: number,
  clock: Clock,
): PaymentFigures | null {
  if (counted === null) return null;
  const { figures, atMs } = counted;
  const ageMs = clock.elapsed() - atMs;
  if (ageMs > Math.max(believedMs, passesBelieved * everyMs)) return null;
  const { auditAgeSeconds: then } = figures;
  return { ...figures, auditAgeSeconds: then === null ? null : then + ageMs / 1_000 };
}

async function repeat(
  everyMs: number,
  closing: AbortSignal,
  work: () => Promise<unknown>,
  onFailure: (error: unknown) => void,
): Promise<void> {
  while (!closing.aborted) {
    try {
      await work();
    } catch (error) {
      // What was given up because the process ends is no failure.
      if (!closing.aborted) onFailure(error);
    }
    await sleepUnlessAborted(everyMs, closing);
  }
}
