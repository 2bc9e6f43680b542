import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { listMigrations } from '../../../src/schema/migrations.ts';

/** A hash of the schema's files, for databases that are kept as long as it is the same. */
export function schemaHash(): string {
  const hash = createHash('sha256');
  for (const { name, files } of listMigrations()) {
    hash.update(name);
    for (const file of files) hash.update(readFileSync(file));
  }
  return hash.digest('hex');
}
