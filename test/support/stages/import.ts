import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type CommandRun, entitySearch } from '../../../dev/lib/command-line.ts';
import { createTestDatabase } from '../engines/database.ts';

type FileContent = string | Buffer | readonly object[];

/** A database and a folder of files, and `entity-search import` between them. */
export interface ImportStage extends AsyncDisposable {
  readonly databaseUrl: string;
  readonly folder: string;
  /** Replaces the folder's files, with one line per object. */
  files(files: Readonly<Record<string, FileContent>>): void;
  import(flags?: readonly string[], env?: Readonly<Record<string, string>>): Promise<CommandRun>;
  rows(sql: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  /** Returns the first column of the first row. */
  value(sql: string): Promise<unknown>;
}

export async function setImportStage(): Promise<ImportStage> {
  const database = await createTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'entity-search-import-'));
  const pool = new pg.Pool({ connectionString: database.url, max: 2 });
  // The database is dropped at the end, with its connections.
  pool.on('error', () => undefined);
  const rows: ImportStage['rows'] = async (sql, values = []) => (await pool.query(sql, [...values])).rows;
  return {
    databaseUrl: database.url,
    folder,
    rows,
    value: async (sql) => Object.values((await rows(sql))[0] ?? {})[0],
    files(files) {
      for (const kind of ['companies', 'people', 'investors', 'events']) {
        rmSync(join(folder, `${kind}.ndjson`), { force: true, recursive: true });
      }
      for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), textOf(content));
    },
    import: (flags = [], env = {}) =>
      entitySearch(['import', folder, ...flags], { DATABASE_URL: database.url, ...env }),
    async [Symbol.asyncDispose]() {
      await pool.end();
      await database[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

function textOf(content: FileContent): string | Buffer {
  if (typeof content === 'string' || Buffer.isBuffer(content)) return content;
  return content.map((line) => `${JSON.stringify(line)}\n`).join('');
}
