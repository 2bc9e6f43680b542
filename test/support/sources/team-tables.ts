// Tables of a team, and random statements on them.

const ids = Array.from({ length: 6 }, (_, at) => `00000000-0000-4000-8000-00000000000${at}`);

export const schema = `
  create schema crm;
  create table crm.region (id int primary key, name text);
  create table crm.country (code varchar(4) primary key, name text, region_id int);
  create table crm.org (id uuid primary key, name text, country_code text, parent uuid, rank int, deleted boolean, seen int);
  create table crm.tag (org uuid, tag text, weight int);
  create table crm.comment (id int primary key, subject_type text, subject_id text, body text);
  create table crm.deal (id int primary key, buyer uuid, seller uuid, amount numeric);
  create table crm.unit (tenant int, id int, name text, primary key (tenant, id));
  create table crm.unit_note (tenant int, unit_id int, body text);
  create table crm.blocked (org uuid);
  create table crm."we$note$ird ""t" ("or""g" uuid, "va lue" text);
  create table crm.part (org uuid, body text) partition by hash (org);
  create table crm.part_0 partition of crm.part for values with (modulus 2, remainder 0);
  create table crm.part_1 partition of crm.part for values with (modulus 2, remainder 1);
  create collation crm.folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
  create table crm.word (word text collate crm.folded primary key, label text);
  create table crm.place (name varchar(8), iso char(4), id numeric);
  create table crm.memo (org text, body text);
  create table crm.base (id uuid, name text, parent uuid);
  create table crm.staff (badge int) inherits (crm.base);
  create view crm.live as select * from crm.org where not deleted;
  create view crm.live_named as select l.id, upper(l.name) as name, l.country_code from crm.live l;`;

/** Every table with a few rows. */
export const filled = `
  truncate crm.org, crm.tag, crm.country, crm.region, crm.comment, crm.deal, crm.unit, crm.unit_note, crm.blocked,
           crm."we$note$ird ""t", crm.part, crm.word, crm.place, crm.base,
           crm.memo;
  insert into crm.region values (0, 'a'), (1, 'b');
  insert into crm.country values ('DE', 'a', 0), ('CH', 'b', 1);
  insert into crm.org select ('00000000-0000-4000-8000-00000000000' || i)::uuid, chr(97 + i % 3), case i % 2 when 0 then 'DE' else 'CH' end,
    case when i > 2 then ('00000000-0000-4000-8000-00000000000' || i - 3)::uuid end, i % 3, false, 0 from generate_series(0, 4) as i;
  insert into crm.tag select id, name, rank from crm.org;
  insert into crm.comment select rank, 'org', id::text, name from crm.org on conflict do nothing;
  insert into crm.deal select rank, id, parent, 1 from crm.org on conflict do nothing;
  insert into crm.unit select rank, 1, name from crm.org on conflict do nothing;
  insert into crm.unit_note select tenant, id, name from crm.unit;
  insert into crm."we$note$ird ""t" select id, name from crm.org;
  insert into crm.part select id, name from crm.org;
  insert into crm.word values ('de', 'a'), ('CH', 'b');
  insert into crm.staff select id, name, parent, rank from crm.org;
  insert into crm.base select id, name from crm.org;
  insert into crm.place values ('DE  ', 'DE', 1.0), ('CH', 'CH', 2.00);`;

export function drawStatement(draw: (below: number) => number): string {
  const id = () => `'${ids[draw(ids.length)]}'`;
  const code = () => `'${['DE', 'CH', 'FR'][draw(3)]}'`;
  const word = () => `'${['a', 'b', 'c'][draw(3)]}'`;
  const number = () => draw(3);
  const maybe = (value: string) => (draw(4) === 0 ? 'null' : value);
  const all: readonly (() => string)[] = [
    () =>
      `insert into crm.org values (${id()}, ${word()}, ${maybe(code())}, ${maybe(id())}, ${number()}, ${draw(3) === 0}, ${number()}) on conflict do nothing`,
    () => `update crm.org set name = ${word()}, rank = ${number()} where id = ${id()}`,
    () =>
      `update crm.org set deleted = not deleted, country_code = ${maybe(code())}, parent = ${maybe(id())} where id = ${id()}`,
    () => `update crm.org set seen = seen + 1, rank = rank where id in (${id()}, ${id()})`,
    () =>
      `update crm.org set id = ${id()} where id = ${id()} and not exists (select from crm.org where id in (${ids.map((one) => `'${one}'`).join(', ')}) having count(*) > 3)`,
    () => `delete from crm.org where id = ${id()}`,
    () => `insert into crm.tag values (${maybe(id())}, ${word()}, ${number()}), (${id()}, ${word()}, ${number()})`,
    () => `update crm.tag set org = ${id()}, weight = ${number()} where tag = ${word()}`,
    () => `delete from crm.tag where org = ${id()}`,
    () =>
      `insert into crm.country values (${code()}, ${word()}, ${number()}) on conflict (code) do update set name = excluded.name, region_id = excluded.region_id`,
    () => `delete from crm.country where code = ${code()}`,
    () => `insert into crm.region values (${number()}, ${word()}) on conflict (id) do update set name = excluded.name`,
    () => `delete from crm.region where id = ${number()}`,
    () =>
      `insert into crm.comment values (${draw(4)}, 'org', ${draw(3) === 0 ? `'not a key'` : id()}, ${word()}) on conflict (id) do update set subject_id = excluded.subject_id, body = excluded.body`,
    () =>
      `insert into crm.deal values (${draw(4)}, ${maybe(id())}, ${maybe(id())}, ${number()}) on conflict (id) do update set buyer = excluded.buyer, seller = excluded.seller, amount = excluded.amount`,
    () =>
      `insert into crm.unit values (${number()}, ${number()}, ${word()}) on conflict (tenant, id) do update set name = excluded.name`,
    () => `insert into crm.unit_note values (${number()}, ${number()}, ${word()})`,
    () => `delete from crm.unit_note where body = ${word()}`,
    () => `insert into crm.blocked values (${maybe(id())})`,
    () => `delete from crm.blocked where org = ${id()} or org is null`,
    () => `insert into crm."we$note$ird ""t" values (${id()}, ${word()})`,
    () => `update crm."we$note$ird ""t" set "or""g" = ${id()} where "va lue" = ${word()}`,
    () => `insert into crm.part values (${id()}, ${word()})`,
    () => `delete from crm.part_${draw(2)} where org = ${id()}`,
    () => `update crm.part set org = ${id()} where body = ${word()}`,
    () => 'truncate crm.tag',
    () =>
      `merge into crm.org o using (values (${id()}::uuid, ${word()})) as m (id, name) on o.id = m.id when matched and o.deleted then delete when matched then update set name = m.name when not matched then insert (id, name, deleted) values (m.id, m.name, false)`,
    () =>
      `with gone as (delete from crm.tag where org = ${id()} returning *) insert into crm.memo select org::text, tag from gone`,
    () =>
      `insert into crm.comment values (${draw(4)}, 'org', upper(${id()}), ${word()}) on conflict (id) do update set subject_id = excluded.subject_id, body = excluded.body`,
    () => `insert into crm.memo values (upper(${id()}), ${word()})`,
    () => `delete from crm.memo where body = ${word()}`,
    () => `update crm.org set country_code = lower(country_code) where id = ${id()}`,
    () => `update crm.org set name = ${word()} where rank = ${number()}`,
    () =>
      `insert into crm.word values (lower(${code()}), ${word()}) on conflict (word) do update set label = excluded.label`,
    () => `delete from crm.word where word = ${code()}`,
    () => `insert into crm.place values (${word()}, ${code()}, ${number()}.${draw(2) === 0 ? '0' : '00'})`,
    () => `update crm.place set name = ${code()} || '${draw(2) === 0 ? ' ' : ''}' where id = ${number()}`,
    () => `delete from crm.place where iso = ${code()}`,
    () => `insert into crm.staff values (${id()}, ${word()}, ${maybe(id())}, ${number()})`,
    () => `update crm.staff set badge = ${number()} where name = ${word()}`,
    () => `update crm.base set name = ${word()}, parent = ${maybe(id())} where id = ${id()}`,
    () => `delete from only crm.base where name = ${word()}`,
    () => `delete from crm.base where id = ${id()}`,
  ];
  return all[draw(all.length)]?.() ?? 'select 1';
}
