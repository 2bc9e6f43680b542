import { type KindName, kindNames } from '../src/kinds/kind.ts';
import { dependencies, relations } from '../src/kinds/relations.ts';

// The part of a new kind's migration that follows from the kind itself: the kinds that depend on its changes. Printed by
// `node dev/kind-migration.ts KIND`, to be put behind the tables in a file of src/schema/migrations. A test compares it with
// the baseline for the kinds that exist.

const list = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ');

/** The kinds that the log and the generations know, and whose documents show whom. */
export function kindsSql(): string {
  const checks = [
    'search_changes',
    'search_generations',
    'search_verifications',
    'entity_vectors',
    'entity_removals',
  ].map(
    (table) =>
      `alter table ${table} drop constraint ${table}_kind_check,
  add constraint ${table}_kind_check check (kind in (${list(kindNames)}));`,
  );
  const shownBy = (reader: KindName) =>
    kindNames.filter((kind) => kind !== reader && dependencies(reader, kind).length > 0);
  const shown = kindNames.flatMap((reader) => {
    const kinds = shownBy(reader);
    return kinds.length === 0 ? [] : [`    when '${reader}' then array[${list(kinds)}]`];
  });
  const pairs = kindNames.flatMap((reader) => shownBy(reader).map((kind) => `('${reader}', '${kind}')`));
  return `${checks.join('\n')}

create or replace function search_shown_kinds(reader text) returns text[]
  language sql immutable parallel safe
  return case reader
${shown.join('\n')}
    else array[]::text[]
  end;

create or replace view search_log_entries as
  select c.kind as reader, c.xid, c.seq, c.kind, c.id, c.what, c.at, c.model, c.slot from search_changes c
  union all
  select shown.reader, c.xid, c.seq, c.kind, c.id, c.what, c.at, c.model, c.slot
  from (values ${pairs.join(', ')}) as shown (reader, kind)
  join search_changes c on c.kind = shown.kind and c.what = 'references';
`;
}

/** The triggers that log what is written to a kind's table and to its relations. */
export function triggersSql(kind: KindName): string {
  const own = relations.filter(({ owner }) => owner === kind);
  return [
    ...own.map(({ table, id, other, otherId }) => relationLogger(table, [kind, id], [other, otherId])),
    tableTriggers(kind, `log_entity_change('${kind}')`) + moved(kind),
    ...own.map(({ table, other }) => tableTriggers(table, `log_${table}_change()`) + emptied(table, kind, other)),
  ].join('\n');
}

/** A relation concerns the documents on both of its ends, before and after. */
function relationLogger(table: string, [kind, id]: readonly string[], [other, otherId]: readonly string[]): string {
  const ends = `array_agg(distinct ${id}), array_agg(distinct ${otherId}) into owners, others`;
  return `create or replace function log_${table}_change() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $body$
declare
  owners bigint[];
  others bigint[];
begin
  if tg_op = 'INSERT' then
    select ${ends} from new_rows;
  elsif tg_op = 'DELETE' then
    select ${ends} from old_rows;
  elsif tg_op = 'UPDATE' then
    select ${ends}
    from ((select * from old_rows except all select * from new_rows)
          union all
          (select * from new_rows except all select * from old_rows)) as moved;
  else
    select ${ends} from ${table};
  end if;
  insert into search_changes (kind, id, what)
  select '${kind}', o, 'row' from unnest(owners) as o
  union all
  select '${other}', o, 'row' from unnest(others) as o where o is not null;
  return null;
end $body$;
`;
}

const events = {
  insert: 'after insert on TABLE referencing new table as new_rows',
  update: 'after update on TABLE referencing old table as old_rows new table as new_rows',
  delete: 'after delete on TABLE referencing old table as old_rows',
  // The ends of the relations must still be there to be read.
  truncate: 'before truncate on TABLE',
} as const;

function tableTriggers(table: string, logger: string): string {
  return Object.entries(events)
    .map(([name, on]) => trigger(table, `log_${name}`, on.replace('TABLE', table), logger))
    .join('');
}

function moved(kind: KindName): string {
  return trigger(
    kind,
    'log_moved',
    `after update of id on ${kind}`,
    `log_entity_moved('${kind}')`,
    'row when (old.id <> new.id)',
  );
}

function emptied(table: string, kind: string, other: string): string {
  return trigger(
    table,
    'log_truncate_all',
    `before truncate on ${table}`,
    `log_relation_emptied('${kind}', '${other}')`,
  );
}

function trigger(table: string, name: string, on: string, logger: string, each = 'statement'): string {
  return `create trigger ${name} ${on} for each ${each} execute function ${logger};
alter table ${table} enable always trigger ${name};
`;
}

if (import.meta.main) {
  const kind = kindNames.find((name) => name === process.argv[2]);
  if (kind === undefined) {
    process.stderr.write(`Name a kind: ${kindNames.join(', ')}.\n`);
    process.exit(2);
  }
  process.stdout.write(`${kindsSql()}\n${triggersSql(kind)}`);
}
