import { embeddingBatchSize } from '../src/config/embeddings.ts';

const mebibyte = 1_048_576;
const second = 1_000;
const minute = 60 * second;

/**
 * Limits of the commands that no operator has a reason to change; those that depend on hardware and traffic are
 * settings (`src/config/indexer.ts`). Tests pass shorter ones. Times are in milliseconds.
 */
export const defaultLimits = {
  import: {
    /** A batch, and with it memory and one transaction, ends at whichever comes first. */
    batchRows: 4_000,
    batchBytes: 8 * mebibyte,
    /** A longer line is a bad line; it is skipped without being held in memory. */
    maxLineBytes: mebibyte,
    /** Bad lines reported one by one; the rest is counted. */
    badLinesShown: 50,
  },
  reindex: {
    kindsAtOnce: 2,
    batchBytes: mebibyte,
    /** For each bulk request that may be under way: batches being filled, waiting and under way, of all kinds. */
    bytesPerRequest: 1.5 * mebibyte,
    requestTimeoutMs: minute,
    /** How long a batch is tried again before the reindex fails. */
    giveUpAfterMs: 2 * minute,
    /** How often a load saves how far it is acknowledged. */
    saveEveryMs: second,
  },
  sync: {
    batchBytes: mebibyte,
    bytesPerRequest: 4 * mebibyte,
    requestTimeoutMs: 30 * second,
    /** Bulk requests in progress. Reindex, which has more to send, has a setting. */
    requests: 4,
    /** How often an idle index is checked for changes. Four idle indices take 8 % of a core. */
    pollMs: 100,
    /** After a look that found something at least so much lies between their beginnings, so that changes gather. */
    roundPauseMs: 100,
    /** Entries of the log worked off in one step. */
    chunkEntries: 5_000,
    /** How long entries are kept after they were applied, to be applied again when a request may have gone astray. */
    keepMs: 15 * minute,
    pruneEveryMs: minute,
    repairedPerSecond: 1_000,
    /** More than this percentage of an index's documents, and more than 100, are repaired by hand only. */
    repairedSharePercent: 10,
  },
  embeddings: {
    batchSize: embeddingBatchSize,
    /** For the vectors of a batch: a large model on a processor takes up to a second for each text. */
    timeoutMs: 30 * second,
    /** Rows that are looked through at a time for texts without a vector. */
    windowRows: 2_000,
    /** After a provider has failed so often in a row, `embed` gives up; sync never does. */
    attempts: 6,
    firstPauseMs: second,
    longestPauseMs: 30 * second,
    /** Texts of a full scan that sync has embedded before it looks whether others changed meanwhile. */
    stepTexts: 128,
    /** Changed entities that are looked at together. */
    idsAtOnce: 256,
    /** Changed entities of a kind that are remembered; with more of them, all rows are looked through. */
    queuedIds: 50_000,
    idleMs: 200,
    scanEveryMs: 60 * minute,
    /** At least so much lies between two full scans of a kind. */
    scanPauseMs: 10 * second,
    /** Vectors of other models are kept so long for an index that is to be made with them. */
    unusedModelMs: 7 * 24 * 60 * minute,
  },
  /** An index that is not kept stays, not followed, for requests and cursors that began in it; cursors last 5 minutes. */
  retireAfterMs: 15 * minute,
  /** An index that was being built is given up when nobody has worked on it for so long. */
  abandonedAfterMs: 24 * 60 * minute,
  /** Beyond these, it is not the documents that are at fault. */
  deadLetters: { total: 1_000, inARow: 50, sharePercent: 50 },
  verify: {
    /** Rows compared in one step; with the number of steps at once it bounds memory. */
    windowRows: 5_000,
    /** The same where whole documents are compared. */
    deepWindowRows: 250,
    windowsAtOnce: 2,
    /** Documents that looked different and are judged together. */
    suspectsAtOnce: 100_000,
    /** Proven differences that are held; with more of them the comparison stops, and says so. */
    differencesAtMost: 100_000,
    /** How long the index's reader of the change log may stand still before it counts as not running. */
    waitMs: 15 * second,
    pollMs: 100,
    /** How often what still changes is looked at again. */
    roundsAtMost: 20,
  },
  /** For each check of `doctor` by itself. */
  doctorTimeoutMs: 10 * second,
};

type GroupsReadonly<Groups> = { readonly [Group in keyof Groups]: Readonly<Groups[Group]> };
export type Limits = GroupsReadonly<typeof defaultLimits>;

export type ImportLimits = Limits['import'];
export type VerifyLimits = Limits['verify'];
