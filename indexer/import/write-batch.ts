import type pg from 'pg';
import type { Batch } from './batch.ts';
import type { KindImport } from './kinds/kind-import.ts';
import * as sql from './statements.ts';

export interface BatchOutcome {
  readonly inserted: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly pruned: number;
  readonly badLines: readonly BadRow[];
}

/** A line that is valid by itself, but conflicts with another line or with the table. */
export interface BadRow {
  readonly line: number;
  readonly path: 'id' | 'slug';
  readonly message: string;
}

/** Stages a batch, and returns and leaves out the lines that repeat earlier ones. Inside the caller's transaction. */
export async function stageBatch(client: pg.Client, kindImport: KindImport, batch: Batch): Promise<readonly BadRow[]> {
  await client.query(sql.stage(kindImport.kind), [batch.entities]);
  for (const [at, { table }] of kindImport.relations.entries()) {
    await client.query(sql.stage(table), [batch.relations[at]]);
  }
  const noted = await client.query(sql.recordSeen(kindImport));
  if (noted.rowCount === batch.rows) return [];
  const { rows } = await client.query<RepeatedRow>(sql.findRepeated(kindImport));
  await forEachStatement(client, sql.dropStaged(kindImport), [rows.map(({ line }) => line)]);
  return rows.map(describeRepeated);
}

/**
 * Writes the staged lines, except that lines whose slug is taken are moved to the waiting ones. Empties the staging
 * tables.
 */
export async function writeStaged(client: pg.Client, kindImport: KindImport): Promise<BatchOutcome> {
  const { rows: held } = await client.query<{ line: number }>(sql.findHeldSlugs(kindImport));
  if (held.length > 0) await forEachStatement(client, sql.setAside(kindImport), [held.map(({ line }) => line)]);
  return applyStaged(client, kindImport);
}

/**
 * Writes the waiting lines all at once, so that entities may exchange their slugs; with `prune`, first removes entities
 * that are not in the file. Lines whose slug stays taken are bad lines.
 */
export async function writeWaiting(
  client: pg.Client,
  kindImport: KindImport,
  options: { readonly prune: boolean },
): Promise<BatchOutcome> {
  await forEachStatement(client, sql.stageWaiting(kindImport), []);
  const badLines = await dropTakenSlugs(client, kindImport, options.prune);
  // Only another writer can take a slug of a file without bad lines that is pruned to.
  if (options.prune && badLines.length > 0) {
    throw new Error(
      `Another session changed slugs of ${kindImport.kind} during the import; nothing of ${kindImport.kind} was pruned. Run it again.`,
    );
  }
  const pruned = options.prune ? await client.query(sql.prune(kindImport)) : undefined;
  const outcome = await applyStaged(client, kindImport);
  return { ...outcome, pruned: pruned?.rowCount ?? 0, badLines };
}

async function dropTakenSlugs(client: pg.Client, kindImport: KindImport, prune: boolean): Promise<readonly BadRow[]> {
  const bad: BadRow[] = [];
  // Each round drops at least one line, so the number of rounds is limited.
  for (;;) {
    const { rows } = await client.query<{ line: number; slug: string; holder: number }>(
      sql.findTakenSlugs(kindImport),
      [prune],
    );
    if (rows.length === 0) return bad;
    await forEachStatement(client, sql.dropStaged(kindImport), [rows.map(({ line }) => line)]);
    for (const { line, slug, holder } of rows) {
      bad.push({ line, path: 'slug', message: `"${slug}" belongs to id ${holder} in the database` });
    }
  }
}

async function applyStaged(client: pg.Client, kindImport: KindImport): Promise<BatchOutcome> {
  const counted = await client.query<{ inserted: number; updated: number; staged: number }>(
    sql.upsertEntities(kindImport),
  );
  const { inserted = 0, updated = 0, staged = 0 } = counted.rows[0] ?? {};
  let related = 0;
  for (const relation of kindImport.relations) {
    const { rows } = await client.query<{ updated: number }>(sql.replaceRelation(kindImport, relation));
    related += rows[0]?.updated ?? 0;
  }
  await client.query(sql.truncateStaged(kindImport));
  return {
    inserted,
    updated: updated + related,
    unchanged: staged - inserted - updated - related,
    pruned: 0,
    badLines: [],
  };
}

interface RepeatedRow {
  readonly line: number;
  readonly id: number;
  readonly slug: string;
  readonly id_line: number | null;
  readonly slug_line: number | null;
}

function describeRepeated(row: RepeatedRow): BadRow {
  const { line, id, slug, id_line: idLine, slug_line: slugLine } = row;
  if (idLine !== null && idLine !== line) return { line, path: 'id', message: `${id} is also in line ${idLine}` };
  return { line, path: 'slug', message: `"${slug}" is also in line ${slugLine}` };
}

async function forEachStatement(
  client: pg.Client,
  statements: readonly string[],
  values: readonly unknown[],
): Promise<void> {
  for (const statement of statements) await client.query(statement, [...values]);
}
