import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { listMigrations } from '../../../src/schema/migrations.ts';

/** Returns a hash of the schema's files, for databases that are kept until it changes. */
export function schemaHash(): string {
  const hash = createHash('sha256');
  for (const { name, files } of listMigrations()) {
    hash.update(name);
    for (const file of files) hash.update(readFileSync(file));
  }
  return hash.digest('hex');
}
