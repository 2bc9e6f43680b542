import { embeddingBatchSize } from '../src/config/embeddings.ts';
import { dayMs, hourMs, minuteMs, secondMs } from '../src/lib/durations.ts';

const mebibyte = 1_048_576;

/**
 * Limits of the commands that need no setting; limits that depend on hardware and traffic are settings
 * (`src/config/indexer.ts`). Tests use shorter ones. Times are in milliseconds.
 */
export const defaultLimits = {
  import: {
    /** A batch, with its memory and transaction, ends at the first of these. */
    batchRows: 4_000,
    batchBytes: 8 * mebibyte,
    /** A longer line is bad; it is skipped without being held in memory. */
    maxLineBytes: mebibyte,
    /** Bad lines reported one by one; the rest are counted. */
    badLinesShown: 50,
  },
  reindex: {
    kindsAtOnce: 2,
    batchBytes: mebibyte,
    /** For each bulk request in progress: batches being filled, waiting and under way, of all kinds. */
    bytesPerRequest: 1.5 * mebibyte,
    requestTimeoutMs: minuteMs,
    /** The time that a batch is retried before the reindex fails. */
    giveUpAfterMs: 2 * minuteMs,
    /** The interval at which a load saves its progress. */
    saveEveryMs: secondMs,
  },
  sync: {
    batchBytes: mebibyte,
    bytesPerRequest: 4 * mebibyte,
    requestTimeoutMs: 30 * secondMs,
    /** Bulk requests in progress. Reindex has a setting. */
    requests: 4,
    /** The interval at which an idle index is checked for changes. Four idle indices take 8 % of a core. */
    pollMs: 100,
    /** The least time between the starts of two rounds if the first found changes, so that changes gather. */
    roundPauseMs: 100,
    /** Entries read in one step. */
    chunkEntries: 5_000,
    /** The time that applied entries are kept, to be applied again if a request was delayed. */
    keepMs: 15 * minuteMs,
    pruneEveryMs: minuteMs,
    /** More than this percentage of an index's documents, and more than 100, are repaired by hand only. */
    repairedSharePercent: 10,
  },
  embeddings: {
    batchSize: embeddingBatchSize,
    /** Timeout for the vectors of a batch. Without a GPU, a large model takes up to a second per text. */
    timeoutMs: 30 * secondMs,
    /** Rows searched at a time for texts without a vector. */
    windowRows: 2_000,
    /** `embed` gives up after this many failures in a row; sync never does. */
    attempts: 6,
    firstPauseMs: secondMs,
    longestPauseMs: 30 * secondMs,
    /** Texts of a full scan that sync embeds before it checks for changed texts. */
    stepTexts: 128,
    idsAtOnce: 256,
    /** Changed entities remembered of each kind; beyond them all rows are searched. */
    queuedIds: 50_000,
    idleMs: 200,
    scanEveryMs: hourMs,
    /** The least time between two full scans of a kind. */
    scanPauseMs: 10 * secondMs,
  },
  /**
   * A surplus index stays for this long, not followed, for requests and cursors that use it; cursors last 5 minutes.
   */
  retireAfterMs: 15 * minuteMs,
  /** An index under construction without progress for this long is given up. */
  abandonedAfterMs: dayMs,
  /** Sending stops beyond these rejections of a generation, because the documents can't be at fault. */
  deadLetters: { total: 1_000, inARow: 50 },
  verify: {
    /** Rows compared in one step; together with the number of steps at once it limits memory. */
    windowRows: 5_000,
    deepWindowRows: 250,
    windowsAtOnce: 2,
    /** Suspects that are judged together. */
    suspectsAtOnce: 100_000,
    /** The number of proven differences that are held; beyond it the comparison stops and is reported as incomplete. */
    differencesAtMost: 100_000,
    /** The time without progress after which the index's reader of the change log counts as not running. */
    waitMs: 15 * secondMs,
    pollMs: 100,
    /** The most checks of documents that still change. */
    roundsAtMost: 20,
  },
  /** Timeout of each check of `doctor`. */
  doctorTimeoutMs: 10 * secondMs,
};

type GroupsReadonly<Groups> = { readonly [Group in keyof Groups]: Readonly<Groups[Group]> };
export type Limits = GroupsReadonly<typeof defaultLimits>;

export type ImportLimits = Limits['import'];
export type VerifyLimits = Limits['verify'];
