import { listDeadLetters } from '../../../indexer/dead-letters/dead-letters.ts';
import { conflictRemedy, findAliasConflict } from '../../../indexer/generations/alias-conflict.ts';
import { type KeptGeneration, readAliasState } from '../../../indexer/generations/alias-state.ts';
import { planKind } from '../../../indexer/generations/plan.ts';
import { type GenerationStatus, type KindStatus, readStatus } from '../../../indexer/generations/status.ts';
import type { KindName } from '../../../src/kinds/kind.ts';
import { kindNames } from '../../../src/kinds/kind.ts';
import type { Engines } from '../../connections.ts';
import { type Check, type Finding, fail, ok, warn } from '../finding.ts';
import { compareMapping } from './mapping.ts';
import { lagMaxSeconds } from './sync.ts';

type Looked = Pick<Engines, 'pool' | 'cluster' | 'indexPrefix'>;

/**
 * Of each kind: is there an index, can it be searched, is it as the code wants it, and does it follow the tables? What
 * follows from something that is told already is not told again: one thing that is wrong is one sentence.
 */
export function indexChecks(engines: Looked): readonly Check[] {
  return kindNames.map((kind) => ({ name: `index of ${kind}`, look: () => look(engines, kind) }));
}

async function look(engines: Looked, kind: KindName): Promise<readonly Finding[]> {
  const check = `index of ${kind}`;
  const { pool, cluster, indexPrefix } = engines;
  const { named, kept, problem } = await readAliasState(pool, cluster, indexPrefix, kind);
  const live = kept.find(({ indexName }) => named.includes(indexName));
  const others = kept.filter((one) => one !== live).flatMap((one) => keptFindings(check, kind, one));
  if (problem !== undefined || live === undefined) {
    return [fail(check, problem?.found ?? '', problem?.todo ?? ''), ...others];
  }
  const objection = await findAliasConflict(pool, cluster, indexPrefix, kind);
  if (objection !== undefined) return [fail(check, objection.found, conflictRemedy(objection, kind)), ...others];
  if (live.index.closed) {
    const found = `${live.indexName} is closed: every search of ${kind} fails.`;
    return [fail(check, found, openIt(live.indexName)), ...others];
  }
  const [status] = await readStatus(pool, cluster, indexPrefix, [kind]);
  const searched = status?.generations.find((one) => one.index === live.indexName);
  const plan = await planKind(pool, cluster, indexPrefix, kind);
  const findings = [
    ...shape(check, live.indexName, plan),
    ...(plan.needed ? [] : await compareMapping(cluster, kind, live.indexName)),
    ...(await following(engines, check, live, searched)),
    ...lastFailure(check, status),
    ...others,
  ];
  if (findings.length > 0) return findings;
  return [ok(check, `${live.indexName} is as this version wants it.`)];
}

function openIt(index: string): string {
  return `Run: curl -X POST "$ELASTICSEARCH_URL/${encodeURIComponent(index)}/_open"`;
}

/** Of a generation that rollback may go back to. */
function keptFindings(check: string, kind: KindName, { indexName, number, halted, index }: KeptGeneration): Finding[] {
  if (index.closed) {
    return [
      warn(check, `${indexName} is closed: it is not kept in sync, and rollback can't use it.`, openIt(indexName)),
    ];
  }
  if (halted === null) return [];
  const todo = `Run: entity-search repair ${kind} --generation ${number}`;
  return [warn(check, `${indexName}, which rollback may go back to, is not followed: ${halted}`, todo)];
}

function shape(check: string, live: string, plan: { readonly needed: boolean; readonly reason: string }): Finding[] {
  if (!plan.needed) return [];
  const todo = `See entity-search plan, then run: entity-search reindex ${check.replace('index of ', '')}`;
  return [warn(check, `${live} is not as this version wants it. ${plan.reason}`, todo)];
}

/** The first of what keeps changes from arriving, and what did not arrive. */
async function following(
  { pool }: Looked,
  check: string,
  live: KeptGeneration,
  searched: GenerationStatus | undefined,
): Promise<readonly Finding[]> {
  if (searched === undefined) return [];
  const { kind, index, lagSeconds, lastError, pending, reader, deadLetters } = searched;
  if (live.halted !== null) {
    return [fail(check, `${index} is not followed: ${live.halted}`, `Run: entity-search repair ${kind}`)];
  }
  if (pending === null) {
    const found = `${index} has no position in the change log: nothing that is written arrives there.`;
    return [fail(check, found, `Run: entity-search reindex ${kind}`)];
  }
  if (await isAhead(pool, live.id)) {
    const found = `The position of ${index} lies in the future: this database has gone back, or somebody set it.`;
    return [fail(check, found, `Run: entity-search repair ${kind}`)];
  }
  const letters = deadLetters > 0 ? [await letterFinding(pool, check, kind, deadLetters)] : [];
  const isBlocked = Object.keys(live.index.settings).some((name) => name.startsWith('index.blocks.'));
  if (isBlocked || reader === null) return letters;
  if (lastError !== null && letters.length === 0) {
    const [found = '', ...next] = lastError.split('\n');
    return [fail(check, `${index} is not kept in sync: ${found}`, next.join(' ') || "Look at sync's log.")];
  }
  if ((lagSeconds ?? 0) <= lagMaxSeconds || letters.length > 0) return letters;
  const found = `${index} is ${Math.round(lagSeconds ?? 0)} s behind (${pending} changes), though ${reader.applicationName} follows it.`;
  return [
    fail(check, found, "Look at sync's log and at the cluster's load; a new start does no harm: entity-search sync"),
  ];
}

async function isAhead(pool: Looked['pool'], id: number): Promise<boolean> {
  const { rows } = await pool.query<{ ahead: boolean }>(
    `select pg_snapshot_xmax(position) > pg_snapshot_xmax(pg_current_snapshot()) as ahead
     from search_generations where id = $1`,
    [id],
  );
  return rows[0]?.ahead === true;
}

const reasonLength = 300;

async function letterFinding(pool: Looked['pool'], check: string, kind: KindName, count: number): Promise<Finding> {
  const [latest] = await listDeadLetters(pool, { kinds: [kind], ids: undefined, limit: 1, documents: false });
  const others = count > 1 ? ` ${count - 1} more are listed by: entity-search dead-letters list ${kind}` : '';
  const reason = (latest?.reason ?? '').slice(0, reasonLength);
  const found = `The row ${latest?.id} of ${kind} has no document: ${reason}${reason.endsWith('.') ? '' : '.'}${others}`;
  return warn(check, found, `Correct the row, then run: entity-search dead-letters retry ${kind}`);
}

function lastFailure(check: string, status: KindStatus | undefined): readonly Finding[] {
  if (status === undefined || status.lastFailure === null) return [];
  const text = status.lastFailure.split('\n')[0];
  return [warn(check, `The last reindex failed: ${text}`, `Run: entity-search reindex ${status.kind}`)];
}
