import { listDeadLetters } from '../../../indexer/dead-letters/dead-letters.ts';
import { conflictRemedy, findAliasConflict } from '../../../indexer/generations/alias-conflict.ts';
import { type KeptGeneration, readAliasState } from '../../../indexer/generations/alias-state.ts';
import type { GenerationState } from '../../../indexer/generations/model.ts';
import { type KindPlan, planKind } from '../../../indexer/generations/plan.ts';
import { type GenerationStatus, type KindStatus, readStatus } from '../../../indexer/generations/status.ts';
import type { IndexOptions } from '../../../mappings/registry.ts';
import { type KindName, kindNames } from '../../../src/kinds/kind.ts';
import type { DocumentCommandContext } from '../../connections.ts';
import type { Check } from '../check.ts';
import { fail, ok, type Verdict, warn } from '../finding.ts';
import { lag } from './change-log.ts';

type Read = Pick<DocumentCommandContext, 'pool' | 'cluster' | 'indexPrefix' | keyof IndexOptions>;

/**
 * Checks of each kind that its index exists, can be searched, matches the code, and follows the tables. A consequence
 * of another finding is left out, so each problem is reported once.
 */
export function indexChecks(engines: Read): readonly Check[] {
  return kindNames.map((kind) => ({ name: `index of ${kind}`, run: () => checkIndex(engines, kind) }));
}

async function checkIndex(engines: Read, kind: KindName): Promise<Verdict | readonly Verdict[]> {
  const { named, kept, problem } = await readAliasState(engines, kind);
  const live = kept.find(({ indexName }) => named.includes(indexName));
  const [status] = await readStatus(engines, [kind]);
  const others = [
    ...judgeUnfinished(status),
    ...kept.filter((one) => one !== live).flatMap((one) => judgeKept(kind, one)),
  ];
  if (problem !== undefined || live === undefined) {
    return [fail(problem?.found ?? '', problem?.todo ?? ''), ...others];
  }
  const objection = await findAliasConflict(engines, kind);
  if (objection !== undefined) return [fail(objection.found, conflictRemedy(objection, kind)), ...others];
  if (live.index.closed) {
    const found = `${live.indexName} is closed: every search of ${kind} fails.`;
    return [fail(found, openCommand(live.indexName)), ...others];
  }
  const searched = status?.generations.find((one) => one.index === live.indexName);
  const plan = await planKind(engines, kind);
  const verdicts = [...judgePlan(live.indexName, plan), ...(await judgeFollowing(engines, live, searched)), ...others];
  return verdicts.length > 0 ? verdicts : ok(`${live.indexName} matches this version.`);
}

function openCommand(index: string): string {
  return `Run: curl -X POST "$ELASTICSEARCH_URL/${encodeURIComponent(index)}/_open"`;
}

/** Elasticsearch itself removes the block of a full disk once there is room. */
function unblockCommand(index: string, blocks: readonly string[]): string {
  const body = JSON.stringify(Object.fromEntries(blocks.map((name) => [name, null])));
  const path = `${encodeURIComponent(index)}/_settings`;
  return `Make room if a disk is full. Run: curl -X PUT -H 'Content-Type: application/json' -d '${body}' "$ELASTICSEARCH_URL/${path}"`;
}

/** Reports builds that no process works on. */
function judgeUnfinished(status: KindStatus | undefined): readonly Verdict[] {
  if (status === undefined || status.builder !== null) return [];
  const unfinished = status.generations.filter(({ state }) => !endStates.includes(state));
  return unfinished.map(({ index, kind }) =>
    warn(
      `${index} is not finished, and no process works on it: its reindex was interrupted.`,
      `Remove it with reindex ${kind} --abort, or run: entity-search reindex ${kind} --resume`,
    ),
  );
}

const endStates: readonly GenerationState[] = ['live', 'retired', 'failed', 'aborted'];

/** Judges a generation that rollback may go back to. */
function judgeKept(kind: KindName, { indexName, number, halted, index }: KeptGeneration): Verdict[] {
  if (index.closed) {
    return [warn(`${indexName} is closed: it is not kept in sync, and rollback can't use it.`, openCommand(indexName))];
  }
  if (halted === null) return [];
  const todo = `Run: entity-search repair ${kind} --generation ${number}`;
  return [warn(`${indexName}, which a rollback can use, is not followed: ${halted}`, todo)];
}

function judgePlan(live: string, plan: KindPlan): readonly Verdict[] {
  if (!plan.needed) return [];
  const todo = `See entity-search plan, then run: entity-search reindex ${plan.kind}`;
  return [warn(`${live} does not match this version. ${plan.reason}`, todo)];
}

/** Reports the first obstacle to changes, and the pending ones. */
async function judgeFollowing(
  { pool }: Read,
  live: KeptGeneration,
  searched: GenerationStatus | undefined,
): Promise<readonly Verdict[]> {
  if (searched === undefined) return [];
  const { kind, index, lagSeconds, lastError, pending, reader, deadLetters } = searched;
  if (live.halted !== null) {
    return [fail(`${index} is not followed: ${live.halted}`, `Run: entity-search repair ${kind}`)];
  }
  if (pending === null) {
    const found = `${index} has no position in the change log: no change of the tables reaches it.`;
    return [fail(found, `Run: entity-search reindex ${kind}`)];
  }
  const blocks = Object.keys(live.index.settings).filter((name) => name.startsWith('index.blocks.'));
  if (blocks.length > 0) return [fail(`${index} is blocked (${blocks.join(', ')}).`, unblockCommand(index, blocks))];
  const letters = deadLetters > 0 ? [await judgeDeadLetters(pool, kind, deadLetters)] : [];
  if (reader === null) return letters;
  if (lastError !== null && letters.length === 0) {
    const [found = '', ...next] = lastError.split('\n');
    return [fail(`${index} is not kept in sync: ${found}`, next.join(' ') || "See sync's log.")];
  }
  const seconds = Math.round(lagSeconds ?? 0);
  if (seconds <= lag.warnSeconds || letters.length > 0) return letters;
  const found = `${index} is ${seconds} s behind (${pending} changes), though ${reader.applicationName} follows it.`;
  const verdict = seconds > lag.failSeconds ? fail : warn;
  return [verdict(found, "Check sync's log and the load of the cluster. It is safe to restart entity-search sync.")];
}

const reasonLength = 300;

async function judgeDeadLetters(pool: Read['pool'], kind: KindName, count: number): Promise<Verdict> {
  const [latest] = await listDeadLetters(pool, { kinds: [kind], ids: undefined, limit: 1, documents: false });
  const others = count > 1 ? ` ${count - 1} more are listed by: entity-search dead-letters list ${kind}` : '';
  const reason = (latest?.reason ?? '').slice(0, reasonLength);
  const found = `The row ${latest?.id} of ${kind} has no document: ${reason}${reason.endsWith('.') ? '' : '.'}${others}`;
  return warn(found, `Correct the row, then run: entity-search dead-letters retry ${kind}`);
}
