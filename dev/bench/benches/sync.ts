import { withClient } from '../../engines/postgres/client.ts';
import { prebuild, replay } from '../bodies.ts';
import type { Database } from '../databases.ts';
import type { Measured } from '../figures.ts';
import { cli, runProgram } from '../programs.ts';
import { inTurn, measuredIn, type Run } from '../rounds.ts';
import type { BenchSetup } from '../setup.ts';
import type { BenchGroup } from './bench.ts';

const backlogRows = 50_000;
const rowsPerTransaction = 500;
const pace = { blocksPerRequest: 1, inFlight: 4 };

async function* run(setup: BenchSetup): AsyncGenerator<Measured> {
  await using database = await setup.scratch(await setup.database(setup.rows), 'sync');
  const index = await setup.indexed(database);
  const ids = await firstIds(database, Math.min(backlogRows, database.rows));
  const last = ids.at(-1) ?? 0;
  let round = 0;
  const subject = async (): Promise<Run> => {
    round += 1;
    await change(database, ids, `round ${round}`);
    const { usage } = await runProgram([cli, 'sync', 'companies', '--once'], setup.program(database));
    const { firstRequestMs = 0, lastAnswerMs = 0 } = usage.marks;
    return { value: ids.length / ((lastAnswerMs - firstRequestMs) / 1_000), usage };
  };
  const floor = async (): Promise<Run> => {
    await using bodies = await prebuild(database, setup.path('bodies.ndjson'), last);
    const { seconds, usage } = await replay(bodies, index, pace, setup.program(database));
    return { value: bodies.documents / seconds, usage };
  };
  try {
    const sides = await inTurn(setup.options.rounds, { subject, floor }, setup.signal);
    yield {
      bench: 'sync',
      unit: 'changes/s',
      rows: database.rows,
      ...measuredIn(sides),
      sides: {
        subject: `entity-search sync --once, ${ids.length} changes waiting, from its first request to the last answer`,
        floor: 'raw _bulk of the same documents into the same index',
      },
      better: 'higher',
      goals: [{ of: 'ratio', atLeast: 0.8 }],
      details: { changes: ids.length },
    };
  } finally {
    await setup.removeIndices(database);
  }
}

export async function firstIds(database: Pick<Database, 'url'>, count: number): Promise<readonly number[]> {
  return withClient(database.url, async (client) => {
    const { rows } = await client.query<{ id: string }>('select id from companies order by id limit $1', [count]);
    return rows.map(({ id }) => Number(id));
  });
}

/** Many transactions of some rows each, as programs write. */
async function change(database: Pick<Database, 'url'>, ids: readonly number[], word: string): Promise<void> {
  await withClient(database.url, async (client) => {
    for (let at = 0; at < ids.length; at += rowsPerTransaction) {
      await client.query('update companies set tagline = $2, updated_at = now() where id = any($1::bigint[])', [
        ids.slice(at, at + rowsPerTransaction),
        `Changed in ${word}`,
      ]);
    }
  });
}

export const sync: BenchGroup = { names: ['sync'], run };
