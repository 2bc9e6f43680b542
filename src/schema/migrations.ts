import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// The files of the schema: the baseline of version 1.0.0, one file per subject, and numbered migrations since.

/** A step of the schema; its files are applied in order. */
export interface Migration {
  readonly name: string;
  readonly files: readonly string[];
}

/** The name under which a database records the baseline. */
const baselineName = '000-baseline';

const baselineFolder = new URL('./baseline/', import.meta.url);
const migrationsFolder = new URL('./migrations/', import.meta.url);

/** Returns the baseline and all migrations, in order. */
export function listMigrations(folder: URL = migrationsFolder): readonly Migration[] {
  const baseline = listSql(baselineFolder).map((file) => fileURLToPath(new URL(file, baselineFolder)));
  const later = listSql(folder).map((file) => ({
    name: file.replace(/\.sql$/, ''),
    files: [fileURLToPath(new URL(file, folder))],
  }));
  return [{ name: baselineName, files: baseline }, ...later];
}

function listSql(folder: URL): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort();
}

/** A database's migrations, compared with those of this version. */
export interface SchemaState {
  /** True for tables that were created before the baseline. */
  readonly predatesBaseline: boolean;
  /** Names that only the database has recorded. */
  readonly unknown: readonly string[];
  readonly missing: readonly Migration[];
}

/** Compares the names that a database has recorded with the migrations of this version. Pure. */
export function compareMigrations(applied: readonly string[], known = listMigrations()): SchemaState {
  return {
    predatesBaseline: !applied.includes(baselineName),
    unknown: applied.filter((name) => !known.some((migration) => migration.name === name)),
    missing: known.filter(({ name }) => !applied.includes(name)),
  };
}
