import { createWriteStream } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import Cursor from 'pg-cursor';
import { z } from 'zod';
import { kinds } from '../../src/kinds/registry.ts';
import { selectBodies } from '../../src/kinds/sql.ts';
import { withClient } from '../engines/postgres/client.ts';
import type { Database } from './databases.ts';
import { type ProgramContext, runProgram, type Usage } from './programs.ts';

/** The SQL of a company's document, as a generation keeps it. */
export const documentSql = selectBodies(kinds.companies.sql, 'document', '');

export interface Bodies extends AsyncDisposable {
  readonly file: string;
  /** The offsets in bytes at which blocks of about a mebibyte end. */
  readonly ends: readonly number[];
  readonly documents: number;
}

const blockBytes = 1_048_576;
const rowsPerRead = 500;

/** Writes the bodies of a database's companies, as they are now, in ascending id. `upTo` is the last id. */
export async function prebuild(database: Database, file: string, upTo = Number.MAX_SAFE_INTEGER): Promise<Bodies> {
  const ends: number[] = [];
  let documents = 0;
  let written = 0;
  await withClient(database.url, async (client) => {
    const drawn = await client.query<{ version: string }>(`select nextval('search_versions') as version`);
    const version = drawn.rows[0]?.version ?? '0';
    await client.query('set jit = off');
    const text = `select id, body from (${documentSql}) as documents where id <= $1 order by id`;
    const cursor = client.query(new Cursor<[string, string]>(text, [upTo], { rowMode: 'array' }));
    async function* blocks(): AsyncGenerator<string, void, undefined> {
      let block = '';
      let bytes = 0;
      for (let rows = await cursor.read(rowsPerRead); rows.length > 0; rows = await cursor.read(rowsPerRead)) {
        for (const [id, body] of rows) {
          const entry = `{"index":{"_id":"${id}","version":${version},"version_type":"external_gte"}}\n${body.replaceAll('\n', ' ')}\n`;
          block += entry;
          bytes += Buffer.byteLength(entry);
          documents += 1;
          if (bytes < blockBytes) continue;
          written += bytes;
          ends.push(written);
          yield block;
          block = '';
          bytes = 0;
        }
      }
      if (bytes === 0) return;
      ends.push(written + bytes);
      yield block;
    }
    await pipeline(Readable.from(blocks()), createWriteStream(file));
  });
  return { file, ends, documents, [Symbol.asyncDispose]: () => rm(file, { force: true }) };
}

interface Pace {
  readonly blocksPerRequest: number;
  readonly inFlight: number;
}

const replayed = z.object({ seconds: z.number() });

/** Sends the bodies to an index; the seconds from the first request until everything can be found. */
export async function replay(
  bodies: Bodies,
  index: string,
  pace: Pace,
  context: ProgramContext,
): Promise<{ readonly seconds: number; readonly usage: Usage }> {
  const plan = `${bodies.file}.plan`;
  const { ELASTICSEARCH_URL: elasticsearch } = context.env;
  await writeFile(plan, JSON.stringify({ elasticsearch, index, bodies: bodies.file, ends: bodies.ends, ...pace }));
  try {
    const { stdout, usage } = await runProgram(['dev/bench/programs/replay.ts', plan], context);
    return { seconds: replayed.parse(JSON.parse(stdout)).seconds, usage };
  } finally {
    await rm(plan, { force: true });
  }
}
