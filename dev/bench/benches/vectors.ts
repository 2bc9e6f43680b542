import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultModelPath } from '../../../src/embeddings/local/local-model.ts';
import { parseJudgments } from '../../eval/judgments.ts';
import type { Database } from '../databases.ts';
import type { Measured } from '../figures.ts';
import type { BenchName } from '../options.ts';
import { cli, type ProgramContext, runProgram } from '../programs.ts';
import { inTurn, measuredIn, type Run } from '../rounds.ts';
import { startSearchingApi } from '../searching-api.ts';
import type { BenchSetup } from '../setup.ts';
import type { BenchGroup } from './bench.ts';
import { loadOf } from './reindex.ts';

async function* run(setup: BenchSetup, wanted: ReadonlySet<BenchName>): AsyncGenerator<Measured> {
  if (!existsSync(defaultModelPath)) {
    setup.printLine('SKIPPED: the local model is missing. Fetch it with npm run embeddings:model.');
    return;
  }
  const database = await setup.database(setup.rows);
  const without = setup.program(database);
  const vectors = setup.program(database, {
    EMBEDDINGS: 'local',
    INDEX_PREFIX: `${without.env.INDEX_PREFIX}vectors-`,
  });
  setup.printLine(`Embedding ${database.rows} companies, unless an earlier run did …`);
  await runProgram([cli, 'embed', 'companies', '--json'], vectors);
  await setup.removeIndices(database);
  try {
    // The searches need both indices, so these are built in any case.
    const reindexed = await reindexes(setup, database, { subject: vectors, floor: without });
    if (wanted.has('vectors-reindex')) yield reindexed;
    if (wanted.has('vectors-search')) yield await searches(setup, database, { subject: vectors, floor: without });
  } finally {
    await setup.removeIndices(database);
  }
}

interface Sides {
  readonly subject: ProgramContext;
  readonly floor: ProgramContext;
}

async function reindexes(setup: BenchSetup, database: Database, { subject, floor }: Sides): Promise<Measured> {
  const turn = (program: ProgramContext) => async (): Promise<Run> => {
    const ran = await runProgram([cli, 'reindex', 'companies', '--json'], program);
    return { value: loadOf(ran, database.rows).perSecond, usage: ran.usage };
  };
  return {
    bench: 'vectors-reindex',
    unit: 'documents/s',
    rows: database.rows,
    ...measuredIn(await inTurn(1, { subject: turn(subject), floor: turn(floor) }, setup.signal)),
    sides: { subject: 'entity-search reindex companies with vectors', floor: 'without' },
    better: 'higher',
    goals: [],
  };
}

async function searches(setup: BenchSetup, database: Database, { subject, floor }: Sides): Promise<Measured> {
  const paths = vaguePaths();
  await using vectors = await startSearchingApi(setup, database, subject, paths);
  await using words = await startSearchingApi(setup, database, floor, paths);
  // The API gets the vectors of its vocabulary meanwhile.
  await vectors.p95Ms();
  const turns = {
    subject: async () => ({ value: await vectors.p95Ms() }),
    floor: async () => ({ value: await words.p95Ms() }),
  };
  return {
    bench: 'vectors-search',
    unit: 'ms (p95 of a search)',
    rows: database.rows,
    ...measuredIn(await inTurn(setup.options.rounds, turns, setup.signal)),
    sides: { subject: 'GET /api/v1/search with EMBEDDINGS=local, one after another', floor: 'without' },
    better: 'lower',
    goals: [{ of: 'difference', atMost: 12 }],
  };
}

/** Returns judged queries in everyday words. Vectors answer most of them: the usual ones would show no difference. */
function vaguePaths(): readonly string[] {
  const folder = join(import.meta.dirname, '..', '..', 'eval', 'meaning');
  const files = globSync('dev*/meaning_{paraphrase,people_topic,brand_noise}.json', { cwd: folder });
  const judged = files.flatMap((file) => parseJudgments(readFileSync(join(folder, file), 'utf8')).queries);
  return judged.map(({ q }) => `/api/v1/search?${new URLSearchParams({ type: 'companies', query: q })}`);
}

export const vectors: BenchGroup = { names: ['vectors-reindex', 'vectors-search'], run };
