import { readAliasState } from '../../../indexer/generations/alias-state.ts';
import { estimateRows } from '../../../indexer/generations/generations.ts';
import { readDrift } from '../../../indexer/generations/schema-drift.ts';
import { generationById } from '../../../indexer/generations/stored-generation.ts';
import type { VerifyLimits } from '../../../indexer/limits.ts';
import { entityIdOf } from '../../../indexer/verify/differences.ts';
import { type VerifyReport, verifyGeneration } from '../../../indexer/verify/verify.ts';
import { type KindName, kindNames } from '../../../src/kinds/kind.ts';
import { counted } from '../../../src/lib/text/counted.ts';
import type { DocumentCommandContext } from '../../connections.ts';
import type { Check } from '../check.ts';
import { fail, ok, skipped, type Verdict } from '../finding.ts';

type Read = Pick<DocumentCommandContext, 'pool' | 'cluster' | 'indexPrefix'>;

/** Larger kinds are left to `verify`: doctor has only seconds. */
const rowsAtMost = 50_000;

/** Compares each document with its row by the hashes that documents carry, if nothing else is wrong. */
export function documentChecks(engines: Read, limits: VerifyLimits): readonly Check[] {
  return kindNames.map((kind) => ({
    name: `documents of ${kind}`,
    notAllowed: 'This role may not compare them; the indexer may.',
    run: (signal) => compareDocuments(engines, limits, kind, signal),
  }));
}

async function compareDocuments(
  engines: Read,
  limits: VerifyLimits,
  kind: KindName,
  signal: AbortSignal,
): Promise<Verdict> {
  const { pool, cluster } = engines;
  const { named, kept, problem } = await readAliasState(engines, kind);
  const live = kept.find(({ indexName }) => named.includes(indexName));
  const drift = await readDrift(pool);
  const isSound = problem === undefined && live?.halted === null && !live.index.closed && drift?.length === 0;
  if (!isSound || live === undefined) return skipped('Not compared: something else is wrong.');
  if (Object.keys(live.index.settings).some((name) => name.startsWith('index.blocks.'))) {
    return skipped('Not compared: the index is blocked.');
  }
  const rows = await estimateRows(pool, kind);
  if (rows > rowsAtMost) {
    return skipped(`${rows} rows are too many for doctor; entity-search verify ${kind} compares them.`);
  }
  const config = { verify: { ...limits, waitMs: 0, windowsAtOnce: 1 } };
  const report = await verifyGeneration(
    { pool, cluster, config, nowMs: () => performance.now() },
    await generationById(pool, live.id),
    { deep: false, signal, unfollowed: true },
  );
  return judgeReport(report, await letterIds(engines, live.id));
}

async function letterIds({ pool }: Read, generationId: number): Promise<ReadonlySet<number>> {
  const { rows } = await pool.query<{ id: number | string }>(
    'select id from search_dead_letters where generation_id = $1',
    [generationId],
  );
  return new Set(rows.map(({ id }) => Number(id)));
}

/** Judges the comparison. Documents that Elasticsearch rejected are reported by the check of the index. */
function judgeReport({ generation, differences, rows }: VerifyReport, letters: ReadonlySet<number>): Verdict {
  const differing = differences.filter(({ key }) => !letters.has(entityIdOf(key) ?? 0));
  if (differing.length === 0)
    return ok(
      `${counted(rows, 'document')} of ${generation.indexName} ${rows === 1 ? 'equals its row' : 'equal their rows'}.`,
    );
  const counts = Object.entries(Object.groupBy(differing, ({ kind }) => kind))
    .map(
      ([kind, list = []]) =>
        `${list.length} ${kind} (${list
          .slice(0, samples)
          .map(({ key }) => key)
          .join(', ')})`,
    )
    .join(', ');
  const which = counted(differing.length, 'document');
  const differ = differing.length === 1 ? 'differs from its row' : 'differ from their rows';
  const found = `${which} of ${generation.indexName} ${differ}: ${counts}.`;
  return fail(found, `Run: entity-search repair ${generation.kind}`);
}

const samples = 3;
