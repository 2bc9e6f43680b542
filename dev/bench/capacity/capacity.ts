import { connectionsOf } from '../../../cli/connections.ts';
import { defaultLimits } from '../../../indexer/limits.ts';
import { readConfig } from '../../../src/config/api.ts';
import { indexBounds } from '../../../src/config/indexer.ts';
import { poolSizes } from '../../../src/config/pool-sizes.ts';
import { type Constants, constantsOf, type Lines, largestTwo, linesOf } from './constants.ts';
import { type Limit, limitsOf } from './limits.ts';
import { type Asked, type Plan, planFor } from './plan.ts';
import { type Rebuild, rebuildOf } from './rebuild.ts';
import { type Outcome, simulate } from './simulate.ts';
import { type Validation, validationsOf } from './validate.ts';

/** The answer to an operator's numbers. */
export interface Capacity {
  readonly asked: Asked;
  readonly plan: Plan;
  /** Under the load that was asked for, with as many readers as it needs. */
  readonly outcome: Outcome;
  /** The same with one reader; null where one is enough. Changes alone, after a minute. */
  readonly withOneReader: Outcome | null;
  readonly duringLoad: Outcome;
  readonly caughtUpPerSecond: number;
  readonly rebuild: Rebuild;
  readonly sizes: Sizes;
  /** Ascending: what breaks first is the first. */
  readonly limits: readonly Limit[];
  readonly notes: readonly string[];
  readonly constants: Constants;
  readonly validations: readonly Validation[];
}

/** Bytes, but for connections and entries. */
export interface Sizes {
  readonly index: number;
  /** Of searched shards, on the fullest machine. */
  readonly searchedOnMachine: number;
  /** Of all machines, while an index is rebuilt. */
  readonly disk: number;
  readonly connections: number;
  readonly logPerSecond: number;
  readonly logEntries: number;
  readonly logEntriesInRebuild: number;
}

/** Everything, from the lines of a file of figures. Throws `MissingFiguresError` or `NoPlanError`. */
export function capacityOf(asked: Asked, figures: readonly unknown[]): Capacity {
  const lines = linesOf(figures);
  const constants = constantsOf(lines);
  const plan = planFor(asked, lines, constants);
  const usual = { share: 1, readers: plan.readers, rebuild: 'none', searching: true } as const;
  const outcome = simulate(plan, lines, constants, usual);
  const duringLoad = simulate(plan, lines, constants, { ...usual, rebuild: 'loading' });
  const catchingUp = simulate(plan, lines, constants, { ...usual, rebuild: 'catching up' });
  const alone = { ...usual, readers: 1, searching: false };
  const caughtUpPerSecond = catchingUp.rebuiltPerSecond;
  const rebuild = rebuildOf(plan, constants, { loadedPerSecond: duringLoad.rebuiltPerSecond, caughtUpPerSecond });
  const sizes = sizesOf(plan, constants, rebuild);
  return {
    asked,
    plan,
    outcome,
    withOneReader: plan.readers === 1 ? null : simulate(plan, lines, constants, alone),
    duringLoad,
    caughtUpPerSecond,
    rebuild,
    sizes,
    limits: limitsOf(plan, constants, { rebuild, caughtUpPerSecond, logEntries: sizes.logEntriesInRebuild }),
    notes: notesOf(plan, lines, outcome),
    constants,
    validations: validationsOf(lines),
  };
}

function sizesOf({ asked, layout, apiProcesses, readers }: Plan, constants: Constants, rebuild: Rebuild): Sizes {
  const index = asked.rows * constants.indexBytes.value;
  const keptSeconds = (defaultLimits.sync.keepMs + defaultLimits.sync.pruneEveryMs) / 1_000;
  const rebuiltSeconds = (rebuild.loadHours + rebuild.mergeHours + (rebuild.catchUpHours ?? 0)) * 3_600;
  const { verify, reindex } = defaultLimits;
  return {
    index,
    searchedOnMachine: (index / layout.shards) * layout.copiesPerMachine,
    // The live one, those that are kept, one that is built, and half of one for merges.
    disk: index * layout.copies * (2.5 + asked.kept),
    connections:
      apiProcesses * apiConnections() +
      readers * connectionsOf.sync(verify) +
      connectionsOf.reindex(verify, reindex.kindsAtOnce),
    logPerSecond: asked.changesPerSecond * indexBounds.logEntryBytes,
    logEntries: asked.changesPerSecond * keptSeconds,
    logEntriesInRebuild: asked.changesPerSecond * (keptSeconds + rebuiltSeconds),
  };
}

/** With default settings and without paid search. */
function apiConnections(): number {
  const config = readConfig({ DATABASE_URL: 'postgres://localhost/any', ELASTICSEARCH_URL: 'http://localhost:9200' });
  return Object.values(poolSizes(config)).reduce((sum, size) => sum + size, 0);
}

function notesOf({ asked, layout, withMoreReplicas }: Plan, lines: Lines, outcome: Outcome): readonly string[] {
  const [, largest] = largestTwo(lines.growth);
  const rowsOfShard = Math.ceil(asked.rows / layout.shards);
  const notes: string[] = [];
  if (rowsOfShard > largest.rows) {
    notes.push(
      `A shard has ${whole(rowsOfShard)} rows; the benches went up to ${whole(largest.rows)}. Beyond, the time of a search is extrapolated.`,
    );
  }
  if (layout.copies - 1 > indexBounds.replicas) {
    notes.push(
      `${layout.copies - 1} replicas are more than ELASTICSEARCH_REPLICAS allows (${indexBounds.replicas}): the program can't do this by itself.`,
    );
  }
  if (withMoreReplicas !== null) {
    const { machines, shards, copies } = withMoreReplicas;
    notes.push(
      `ELASTICSEARCH_REPLICAS ends at ${indexBounds.replicas}. With ${copies - 1} replicas of ${shards} ${shards === 1 ? 'shard' : 'shards'}, ${whole(machines)} machines would do.`,
    );
  }
  if (outcome.searchMs !== null && outcome.searchMs.p95 > asked.p95Ms) {
    notes.push(
      `19 of 20 searches take up to ${Math.round(outcome.searchMs.p95)} ms, more than the ${asked.p95Ms} asked for.`,
    );
  }
  return [...notes, ...unmeasured];
}

function whole(value: number): string {
  return value.toLocaleString('en');
}

const unmeasured = [
  'Searches take as long as measured only while the searched shards fit into the memory beside the heap.',
  'Not measured, so not counted: the network, the second request by which shards agree on scores, pruning of the log, and the disks of Postgres.',
] as const;
