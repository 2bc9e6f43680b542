import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { listMigrations, type Migration } from '../../../src/schema/migrations.ts';

export interface LaterVersion extends Disposable {
  readonly migrations: readonly Migration[];
}

/** Writes the SQL into a new folder as the migration `001-later`. */
export function laterVersion(sql: string): LaterVersion {
  const folder = mkdtempSync(join(tmpdir(), 'entity-search-migrations-'));
  writeFileSync(join(folder, '001-later.sql'), sql);
  return {
    migrations: listMigrations(pathToFileURL(`${folder}/`)),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}
