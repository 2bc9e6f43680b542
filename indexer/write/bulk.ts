import type { Client } from '@elastic/elasticsearch';
import { type ElasticsearchFailure, sendRequest } from '../../src/elasticsearch/client.ts';
import { Backoff, type BackoffLimits } from '../../src/lib/backoff.ts';
import { elapsedMs } from '../../src/lib/moment.ts';
import { sleep } from '../../src/lib/sleep.ts';
import type { SettledDocument } from '../dead-letters/monitor.ts';
import { IndexerError } from '../errors.ts';
import type { RequestTurns } from './backpressure.ts';
import { type Batch, type BatchItem, documentText, splitBatch, subBatch } from './batches.ts';
import { type BulkOutcome, bulkFilterPath, type Rejection, readBulkResponse } from './bulk-response.ts';
import { describeIndexState } from './index-states.ts';

/** A document that cannot be indexed, as stored for people. */
export interface DeadLetter {
  readonly id: number;
  readonly version: number;
  readonly reason: string;
  /** As it was sent; null if its row cannot be made into one. */
  readonly document: string | null;
}

export interface BulkLimits extends BackoffLimits {
  readonly requestTimeoutMs: number;
  /** Sending gives up after this long without an accepted item. */
  readonly giveUpAfterMs: number;
}

/** The target of batches, and the observer of results. */
export interface BulkTarget {
  readonly client: Client;
  /** The name used in messages. */
  readonly indexName: string;
  /** An alias: `require_alias` then keeps a late request from creating an index again. */
  readonly alias: string;
  readonly limiter: RequestTurns;
  readonly limits: BulkLimits;
  readonly nowMs: () => number;
  readonly random: () => number;
  /**
   * Called at each answer, in order: with every document that it settled, and the letters of those that were rejected.
   * Resolves when the letters are stored; rejects to stop.
   */
  readonly onSettled: (settled: readonly SettledDocument[], letters: readonly DeadLetter[]) => Promise<void>;
  /** Reports that the index holds a document of this version, above the one that was sent. */
  readonly onNewer?: (version: number) => void;
  /** Cuts the request that is under way; no new attempt begins after this. */
  readonly signal: AbortSignal;
}

/** The result of sending a batch; every item is one of the first four. */
export interface SentBatch {
  readonly written: number;
  readonly deleted: number;
  readonly superseded: number;
  readonly dead: number;
  /** Every request was answered item by item, so the batch's bytes cannot be sent again. */
  readonly clean: boolean;
}

/**
 * Sends a batch until each of its items is settled: retriable items are sent again alone, after a pause; a body that is
 * too large is halved. Waits for an index that refuses everything like for a busy cluster. Throws `IndexGoneError`,
 * the failure of Elasticsearch, or the signal's reason.
 */
export async function sendBatch(target: BulkTarget, whole: Batch): Promise<SentBatch> {
  const { limits, signal } = target;
  let batch = whole;
  let sent: SentBatch = { written: 0, deleted: 0, superseded: 0, dead: 0, clean: true };
  const backoff = new Backoff(limits, target.random);
  let progressMs = target.nowMs();
  for (;;) {
    const result = await attempt(target, batch);
    if (result.kind === 'too-large') return plus(sent, await sendHalves(target, batch));
    if (result.kind === 'judged') {
      const { outcome } = result;
      sent = plus(sent, { ...outcome, dead: await tellSettled(target, batch, outcome), clean: true });
      if (outcome.retry.length === 0) return sent;
      if (outcome.retry.length < batch.items.length) {
        progressMs = target.nowMs();
        backoff.reset();
        batch = subBatch(batch, outcome.retry);
      }
    } else {
      sent = { ...sent, clean: false };
    }
    if (target.nowMs() - progressMs >= limits.giveUpAfterMs) throw givenUp(target, result);
    await sleep(backoff.next(), signal);
  }
}

function plus(one: SentBatch, other: SentBatch): SentBatch {
  return {
    written: one.written + other.written,
    deleted: one.deleted + other.deleted,
    superseded: one.superseded + other.superseded,
    dead: one.dead + other.dead,
    clean: one.clean && other.clean,
  };
}

async function sendHalves(target: BulkTarget, batch: Batch): Promise<SentBatch> {
  const parts = splitBatch(batch);
  if (parts === undefined) {
    const dead = await tellSettled(target, batch, { retry: [], dead: tooLarge(batch) });
    return { written: 0, deleted: 0, superseded: 0, dead, clean: false };
  }
  const first = await sendBatch(target, parts[0]);
  return { ...plus(first, await sendBatch(target, parts[1])), clean: false };
}

/** Reports the settled items of an answer; returns the number of rejected documents. */
async function tellSettled(
  target: BulkTarget,
  batch: Batch,
  { retry, dead }: Pick<BulkOutcome, 'retry' | 'dead'>,
): Promise<number> {
  const open = new Set(retry);
  const rejected = new Set(dead.map(({ item }) => item));
  const settled = batch.items.filter((item) => !open.has(item));
  await target.onSettled(
    settled.map((item) => ({ id: item.id, rejected: rejected.has(item) })),
    dead.map(({ item, reason }) => letter(batch, item, reason)),
  );
  return dead.length;
}

function givenUp({ indexName, limits }: BulkTarget, result: Attempt): Error {
  const unavailable = result.kind === 'judged' ? result.outcome.unavailable : undefined;
  if (unavailable !== undefined)
    return new IndexerError(describeIndexState(indexName, unavailable.state, unavailable.reason));
  const seconds = Math.round(limits.giveUpAfterMs / 1_000);
  const why = result.kind === 'failed' ? result.why : 'it is too busy';
  const cause = result.kind === 'failed' ? result.cause : undefined;
  return new Error(
    `Elasticsearch accepted no documents for ${seconds} s (${why}). Restore Elasticsearch: sync then continues by itself, reindex with --resume.`,
    { cause },
  );
}

type Attempt =
  | { readonly kind: 'judged'; readonly outcome: BulkOutcome }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'failed'; readonly why: string; readonly cause: unknown };

/**
 * The cluster's own wait for a shard that is not up; its default of a minute would occupy one of the few requests that
 * all indices share.
 */
const shardTimeout = '2s';

/**
 * Documents are sent this long after their version was drawn. Elasticsearch remembers a deletion for 30 minutes
 * (`gc_deletes`); after that, an older document would come back.
 */
const sentWithinMs = 10 * 60_000;

async function attempt(target: BulkTarget, batch: Batch): Promise<Attempt> {
  const release = await target.limiter.acquire(target.signal);
  let pushedBack = true;
  try {
    throwIfOld(target, batch);
    const answer = await sendRequest(
      target.client,
      {
        method: 'POST',
        path: `/${encodeURIComponent(target.alias)}/_bulk`,
        querystring: { require_alias: true, timeout: shardTimeout, filter_path: bulkFilterPath },
        bulkBody: batch.body,
      },
      { timeoutMs: target.limits.requestTimeoutMs, signal: target.signal },
    );
    target.signal.throwIfAborted();
    if (!answer.ok) return failed(answer);
    const outcome = readBulkResponse(batch.items, answer.body);
    if (outcome === undefined) return { kind: 'failed', why: 'its answer made no sense', cause: answer.body };
    pushedBack = outcome.pushedBack;
    if (outcome.newest > 0) target.onNewer?.(outcome.newest);
    return { kind: 'judged', outcome };
  } finally {
    target.limiter.record({ atMs: target.nowMs(), pushedBack });
    release();
  }
}

function throwIfOld({ indexName }: BulkTarget, { drawnAt }: Batch): void {
  const ageMs = elapsedMs(drawnAt);
  if (ageMs < sentWithinMs) return;
  throw new Error(
    `Documents for ${indexName} were read ${Math.round(ageMs / 60_000)} minutes ago and are too old to be sent: this machine was suspended, or its clock was changed. sync reads them again by itself; run other commands again.`,
  );
}

function failed({ reason, status, cause }: ElasticsearchFailure): Attempt {
  if (status === 413) return { kind: 'too-large' };
  const what = cause instanceof Error ? cause.message : String(cause);
  // A cluster that is read-only for a while also answers 403, and is waited for.
  const forGood = reason === 'rejected' || status === 401 || status === 403;
  if (forGood && !what.includes('cluster_block_exception')) {
    throw new Error(`Elasticsearch refused a bulk request with status ${status}: ${what}`, { cause });
  }
  const why = reason === 'refused' || reason === 'rejected' ? `status ${status}` : reasons[reason];
  return { kind: 'failed', why, cause };
}

const reasons = {
  unreachable: 'no connection',
  timeout: 'no answer in time',
  invalid: 'its answer made no sense',
} as const;

function tooLarge(batch: Batch): readonly Rejection[] {
  return batch.items.map((item) => ({
    item,
    reason: `The document alone is larger than Elasticsearch takes (${item.end - item.documentStart} bytes).`,
  }));
}

function letter(batch: Batch, item: BatchItem, reason: string): DeadLetter {
  return { id: item.id, version: item.version, reason, document: documentText(batch, item) };
}
