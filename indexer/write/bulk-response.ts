import { z } from 'zod';
import { firstForeignVersion } from '../read/versions.ts';
import type { BatchItem } from './batches.ts';
import { type IndexState, indexStateOf } from './index-states.ts';

export interface Rejection {
  readonly item: BatchItem;
  readonly reason: string;
}

/** The results of a bulk request's items. */
export interface BulkOutcome {
  readonly written: number;
  /** Removed, or already missing. */
  readonly deleted: number;
  /** The index holds a later state of these. */
  readonly superseded: number;
  /** Refused for now; may be sent again unchanged. */
  readonly retry: readonly BatchItem[];
  readonly dead: readonly Rejection[];
  /** True if the cluster answered "too much" to at least one of them. */
  readonly pushedBack: boolean;
  /** The index as a whole refused some of `retry`, in Elasticsearch's words. */
  readonly unavailable: { readonly state: IndexState; readonly reason: string } | undefined;
  /** The highest version in the index above one of ours; 0 for none. */
  readonly newest: number;
}

/** The index of the items does not exist any more: a retry would not help. */
export class IndexGoneError extends Error {
  constructor(reason: string) {
    super(`The index that was being filled is gone: ${reason}`);
    this.name = 'IndexGoneError';
  }
}

/** The maximum of each part: Elasticsearch repeats the rejected value in its reasons, whatever its length. */
const maxReasonLength = 500;

const errorCause = z.looseObject({ type: z.string(), reason: z.string().nullish() });
const itemError = errorCause.extend({ caused_by: errorCause.nullish() });
const outcome = z.object({ _id: z.string(), status: z.int(), error: itemError.nullish() });
const itemResult = z.union([z.object({ index: outcome }), z.object({ delete: outcome })]);
const bulkAnswer = z.object({ errors: z.boolean(), items: z.array(itemResult) });
type ItemOutcome = z.infer<typeof outcome>;
type ItemError = z.infer<typeof itemError>;

/** The parts of a bulk answer that `readBulkResponse` needs, in Elasticsearch's notation. */
export const bulkFilterPath = 'errors,items.*.status,items.*._id,items.*.error';

/**
 * Judges every item of an answer. Returns undefined if the answer does not belong to the request (not a bulk answer,
 * other ids): the results are unknown then, and all items are sent again, which versions make harmless.
 */
export function readBulkResponse(items: readonly BatchItem[], answer: unknown): BulkOutcome | undefined {
  const parsed = bulkAnswer.safeParse(answer);
  if (!parsed.success || parsed.data.items.length !== items.length) return undefined;
  const counts = { written: 0, deleted: 0, superseded: 0 };
  const retry: BatchItem[] = [];
  const dead: Rejection[] = [];
  let pushedBack = false;
  let unavailable: BulkOutcome['unavailable'];
  let newest = 0;
  for (const [at, item] of items.entries()) {
    const answered = parsed.data.items[at];
    if (answered === undefined) return undefined;
    const result = 'index' in answered ? answered.index : answered.delete;
    if (result._id !== String(item.id)) return undefined;
    const verdict = judgeItem(result, 'delete' in answered);
    if (typeof verdict === 'string') counts[verdict] += 1;
    else if ('dead' in verdict) dead.push({ item, reason: verdict.dead });
    else retry.push(item);
    if (typeof verdict === 'object' && 'state' in verdict) unavailable ??= verdict;
    pushedBack ||= result.status === 429;
    if (result.status === 409 && verdict === 'superseded') newest = Math.max(newest, versionIn(result.error?.reason));
  }
  return { ...counts, retry, dead, pushedBack, unavailable, newest };
}

/** Returns the index's own version from a conflict's reason. */
function versionIn(reason: string | null | undefined): number {
  return Number(/current version \[(\d+)\]/.exec(reason ?? '')?.[1] ?? 0);
}

/** The document to delete does not exist; a later request of an older version is still refused. */
function isAbsent({ status, error }: ItemOutcome): boolean {
  return status === 404 && (error === null || error === undefined);
}

type Verdict =
  | 'written'
  | 'deleted'
  | 'superseded'
  | { readonly retry: true }
  | { readonly state: IndexState; readonly reason: string }
  | { readonly dead: string };

function judgeItem(result: ItemOutcome, deletion: boolean): Verdict {
  const { status, error } = result;
  if (status < 300) return deletion ? 'deleted' : 'written';
  if (deletion && isAbsent(result)) return 'deleted';
  if (status === 409 && versionIn(error?.reason) >= firstForeignVersion) {
    return {
      dead: `Its document in the index was written by another program, beyond all versions that can be drawn: ${reasonOf(error, status)}`,
    };
  }
  // 409: the index holds a later state of this document.
  if (status === 409) return 'superseded';
  const reason = reasonOf(error, status);
  if (error?.type === 'index_not_found_exception') throw new IndexGoneError(reason);
  const state = indexStateOf({ type: error?.type ?? '', reason: error?.reason }, status);
  if (state !== undefined) return { state, reason };
  return status === 429 || status >= 500 ? { retry: true } : { dead: reason };
}

function reasonOf(error: ItemError | null | undefined, status: number): string {
  if (error === null || error === undefined) return `status ${status} without a reason`;
  const parts = [error, error.caused_by].flatMap((one) => one ?? []);
  return parts.map(({ type, reason }) => `${type}: ${(reason ?? '').slice(0, maxReasonLength)}`).join('; ');
}
