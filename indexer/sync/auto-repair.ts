import type pg from 'pg';
import { estimateRows } from '../generations/generations.ts';
import { generationById } from '../generations/stored-generation.ts';
import type { VerifyLimits } from '../limits.ts';
import { type RepairReport, repairGeneration } from '../verify/repair.ts';
import type { WriteContext, WriteLimits } from '../write/write-context.ts';

// After a promotion or a restore, sync automatically compares a halted generation with the tables and repairs it.
// Searches continue meanwhile, with the index as it is.

type AutoRepairContext = WriteContext<
  WriteLimits & {
    readonly verify: VerifyLimits;
    /** Percentage of a generation's documents that may be repaired automatically; 100 sets no limit. */
    readonly repairedSharePercent: number;
  }
>;

/** The result of a comparison. */
export interface AutoRepairReport {
  /** Documents that differed; a lower bound if the comparison stopped early. */
  readonly differed: number;
  readonly written: number;
  readonly deleted: number;
  /** The reason why it may not, and the next step, for people; null if it may. */
  readonly problem: string | null;
  /** More differs than may be repaired: a retry would not help. */
  readonly beyondBounds: boolean;
}

/** A repair of this many documents is always allowed. */
const documentsAtLeast = 100;

/**
 * Compares a generation with the tables and repairs differences, unless too many differ. Ends its halt if the
 * proof succeeds. `again`: this is the comparison that is due some time after a halt ended. Must be called by the
 * holder of the generation's reader lock, while it does not read. Rejects with the failure of an engine; may be called
 * again after that.
 */
export async function autoRepair(
  context: AutoRepairContext,
  generationId: number,
  { again, signal }: { readonly again: boolean; readonly signal: AbortSignal },
): Promise<AutoRepairReport> {
  const { pool, config } = context;
  const generation = await generationById(pool, generationId);
  const endedAt = await readHaltEnd(pool, generationId);
  const rows = await estimateRows(pool, generation.kind);
  const { repairedSharePercent: sharePercent } = config;
  // Documents without a row also differ: if every row has changed there are more differences than rows.
  const share = sharePercent === 100 ? Number.POSITIVE_INFINITY : Math.floor((rows * sharePercent) / 100);
  const documents = Math.min(Math.max(documentsAtLeast, share), config.verify.differencesAtMost);
  const report = await repairGeneration(context, generation, {
    deep: false,
    signal,
    unfollowed: true,
    documentsAtMost: documents,
  });
  const problem = describeProblem(report, documents, generation.kind);
  if (problem === null && again) await noteCompared(pool, generationId, endedAt);
  const { differed, written, deleted, beyondBounds } = report;
  return { differed, written, deleted, problem, beyondBounds };
}

function describeProblem(report: RepairReport, allowed: number, kind: string): string | null {
  const last = report.after ?? report.found;
  if (report.beyondBounds) {
    return `More than ${allowed} documents of ${last.generation.indexName} differ from the tables, which is more than sync repairs by itself. Find the cause, then run: entity-search repair ${kind} --generation ${last.generation.number}`;
  }
  if (last.proven) return null;
  const left = last.differences.length;
  return left > 0
    ? `${left} documents of ${last.generation.indexName} still differ after they were repaired.`
    : `${last.generation.indexName} could not be compared: ${last.unjudged} documents changed at every check.`;
}

/** Returns the end of the last halt that no comparison followed, as text. */
async function readHaltEnd(pool: pg.Pool, generationId: number): Promise<string | null> {
  const { rows } = await pool.query<{ at: string | null }>(
    'select halt_ended_at::text as at from search_generations where id = $1',
    [generationId],
  );
  return rows[0]?.at ?? null;
}

/** Records the comparison that is due some time after that halt; a later halt needs its own. */
async function noteCompared(pool: pg.Pool, generationId: number, endedAt: string | null): Promise<void> {
  await pool.query('update search_generations set halt_ended_at = null where id = $1 and halt_ended_at::text = $2', [
    generationId,
    endedAt,
  ]);
}
