import type pg from 'pg';
import type { KindName } from '../../kinds/kind.ts';
import { type BaseColumn, type BaseTable, BaseTableError, columnsNamed, readBaseTable } from './base-table.ts';
import { quoteTable, type TableReference } from './identifiers.ts';
import type { SourceKey, SourceRole, SourceTable } from './note-function.ts';
import type { TriggerPlan } from './trigger-sql.ts';

/** A team's description of its tables. */
export interface TriggerRequest {
  readonly kind: KindName;
  /** Tables that hold the entities, and what they are called; the first one has a row for each. */
  readonly entities: readonly TableReference[];
  readonly children: readonly TableReference[];
  readonly lookups: readonly TableReference[];
  /** Columns of the entities' tables that documents of other kinds show; null: any may be. */
  readonly shown: readonly string[] | null;
  /** Columns that no document shows. */
  readonly ignored: readonly string[];
}

/**
 * Completes a request from the catalogue: the key is the first table's primary key, and a foreign key to that table
 * names the columns of another that hold it. Reads only. Throws `BaseTableError` if that is ambiguous.
 */
export async function planTriggers(client: pg.ClientBase, request: TriggerRequest): Promise<TriggerPlan> {
  const [first, ...others] = request.entities;
  if (first === undefined) throw new BaseTableError('Name the table that holds the entities.');
  // So that types and tables come with their schemas.
  await client.query('set search_path = pg_catalog');
  const base = await readBaseTable(client, first);
  const columns = columnsNamed(base, first.columns ?? primaryKeyOf(base));
  const array = columns.find(({ isArray }) => isArray);
  if (array !== undefined)
    throw new BaseTableError(`${quoteTable(base)}: ${array.name} is an array, which can't be a key.`);
  const [only] = columns.length === 1 ? columns : [];
  const isMapped = !only?.isBigint;
  const key = { columns, isMapped, isId: only?.isInteger === true };
  const tables: SourceTable[] = [sourceOf(base, 'entity', columns, request)];
  for (const [role, references] of [
    ['name', others],
    ['child', request.children],
    ['lookup', request.lookups],
  ] as const) {
    for (const reference of references) {
      const table = await readBaseTable(client, reference);
      if (tables.some((one) => one.base.oid === table.oid)) {
        throw new BaseTableError(`${quoteTable(table)} is named twice; its triggers can note one thing for a kind.`);
      }
      const held = role === 'lookup' ? [] : keyOf(table, reference, { base, key });
      tables.push(sourceOf(table, role, held, request));
    }
  }
  requireColumns(
    '--ignore',
    request.ignored,
    tables.map((one) => one.base),
  );
  requireColumns(
    '--shown',
    request.shown ?? [],
    tables.filter(({ role }) => role === 'entity' || role === 'name').map((one) => one.base),
  );
  return { kind: request.kind, key, tables };
}

function sourceOf(
  base: BaseTable,
  role: SourceRole,
  key: readonly BaseColumn[],
  { shown, ignored }: TriggerRequest,
): SourceTable {
  const among = (names: readonly string[]): readonly BaseColumn[] =>
    base.columns.filter(({ name }) => names.includes(name));
  return { base, role, key, ignored: among(ignored), shown: shown === null ? null : among(shown) };
}

function primaryKeyOf(base: BaseTable): readonly string[] {
  if (base.primaryKey.length > 0) return base.primaryKey;
  const name = quoteTable(base);
  throw new BaseTableError(`${name} has no primary key. Name the columns that identify an entity: '${name}(column)'.`);
}

/** Returns the columns of a table that hold the entity's key. */
function keyOf(
  table: BaseTable,
  { columns }: TableReference,
  entity: { readonly base: BaseTable; readonly key: SourceKey },
): readonly BaseColumn[] {
  const wanted = entity.key.columns.map(({ name }) => name);
  const name = quoteTable(table);
  if (columns !== null) {
    if (columns.length === wanted.length) return columnsNamed(table, columns);
    throw new BaseTableError(
      `${name}: ${columns.length} columns are named, and the key of ${quoteTable(entity.base)} has ${wanted.length} (${wanted.join(', ')}).`,
    );
  }
  const found = table.references.filter(
    ({ target, targetColumns }) => target === entity.base.oid && wanted.every((one) => targetColumns.includes(one)),
  );
  const [only] = found;
  if (only === undefined || found.length > 1) {
    const why = only === undefined ? 'has no foreign key' : 'has several foreign keys';
    throw new BaseTableError(
      `${name} ${why} to ${quoteTable(entity.base)}(${wanted.join(', ')}). Name the column that holds it: '${name}(column)'.`,
    );
  }
  return columnsNamed(
    table,
    wanted.map((one) => only.columns[only.targetColumns.indexOf(one)] ?? one),
  );
}

function requireColumns(option: string, names: readonly string[], tables: readonly BaseTable[]): void {
  const missing = names.find((name) => !tables.some(({ columns }) => columns.some((column) => column.name === name)));
  if (missing === undefined) return;
  throw new BaseTableError(`${option}: no column ${missing} in ${tables.map(quoteTable).join(', ')}.`);
}
