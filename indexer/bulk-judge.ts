import { z } from 'zod';
import type { BatchItem } from './batches.ts';

/** A document that Elasticsearch will not take as it is. */
export interface Rejection {
  readonly item: BatchItem;
  readonly reason: string;
}

/** What became of each item of a bulk request. */
export interface Judgement {
  readonly written: number;
  /** Not taken now; may be sent again as they are. */
  readonly retry: readonly BatchItem[];
  readonly dead: readonly Rejection[];
  /** The cluster said "too much" about at least one of them. */
  readonly pushedBack: boolean;
  /** The highest version that the index was found to hold in place of an older one of ours; 0 for none. */
  readonly newest: number;
}

/** The index that the items were for does not exist any more: sending again can't help. */
export class TargetGoneError extends Error {
  constructor(reason: string) {
    super(`The index that was being filled is gone: ${reason}`);
    this.name = 'TargetGoneError';
  }
}

/** Of each part: Elasticsearch repeats the rejected value in its reasons, whatever its length. */
const maxReasonLength = 500;

const errorCause = z.looseObject({ type: z.string(), reason: z.string().nullish() });
const itemError = errorCause.extend({ caused_by: errorCause.nullish() });
const outcome = z.object({ _id: z.string(), status: z.int(), error: itemError.nullish() });
const itemResult = z.union([z.object({ index: outcome }), z.object({ delete: outcome })]);
const bulkAnswer = z.object({ errors: z.boolean(), items: z.array(itemResult) });
type Outcome = z.infer<typeof outcome>;
type ItemError = z.infer<typeof itemError>;

/** The parts of a bulk answer that `judge` needs, in Elasticsearch's notation. */
export const bulkFilterPath = 'errors,items.*.status,items.*._id,items.*.error';

/**
 * Judges every item of an answer. Undefined when the answer does not belong to the request (not a bulk answer, other
 * ids): then nothing is known, and all of it is to be sent again, which versions make harmless.
 */
export function judge(items: readonly BatchItem[], answer: unknown): Judgement | undefined {
  const parsed = bulkAnswer.safeParse(answer);
  if (!parsed.success || parsed.data.items.length !== items.length) return undefined;
  let written = 0;
  const retry: BatchItem[] = [];
  const dead: Rejection[] = [];
  let pushedBack = false;
  let newest = 0;
  for (const [at, item] of items.entries()) {
    const answered = parsed.data.items[at];
    if (answered === undefined) return undefined;
    const result = 'index' in answered ? answered.index : answered.delete;
    if (result._id !== String(item.id)) return undefined;
    const verdict = 'delete' in answered && isAbsent(result) ? 'written' : judgeItem(result);
    if (verdict === 'written') written += 1;
    else if (verdict === 'retry') retry.push(item);
    else dead.push({ item, reason: verdict.dead });
    pushedBack ||= result.status === 429;
    if (result.status === 409) newest = Math.max(newest, versionIn(result.error?.reason));
  }
  return { written, retry, dead, pushedBack, newest };
}

/** The version that a conflict's reason names as the index's own. */
function versionIn(reason: string | null | undefined): number {
  return Number(/current version \[(\d+)\]/.exec(reason ?? '')?.[1] ?? 0);
}

/** What was to be deleted is not there, and a later request of an older version will be refused all the same. */
function isAbsent({ status, error }: Outcome): boolean {
  return status === 404 && (error === null || error === undefined);
}

function judgeItem({ status, error }: Outcome): 'written' | 'retry' | { readonly dead: string } {
  // 409: the index holds a later state of this document, which is what an external version is for.
  if (status < 300 || status === 409) return 'written';
  if (error?.type === 'index_not_found_exception') throw new TargetGoneError(reasonOf(error, status));
  // A block (disk full, read-only for a while) is about the index, not about this document.
  if (status === 429 || status >= 500 || error?.type === 'cluster_block_exception') return 'retry';
  return { dead: reasonOf(error, status) };
}

function reasonOf(error: ItemError | null | undefined, status: number): string {
  if (error === null || error === undefined) return `status ${status} without a reason`;
  const parts = [error, error.caused_by].flatMap((one) => one ?? []);
  return parts.map(({ type, reason }) => `${type}: ${(reason ?? '').slice(0, maxReasonLength)}`).join('; ');
}
