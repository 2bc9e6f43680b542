import pg from 'pg';
import type { PoisonColumn, TransactionStep, WriteStep } from '../schedule/step.ts';
import { teamStatements } from '../world/team-tables.ts';
import { ViolationError, type World } from '../world/world.ts';

/** Errors by other writers or the tables' own rules, which schedules may meet. */
const expected = new Set(['40P01', '40001', '23505', '23503', '23514', '55P03', '25P02', '22008', '42704', '42P07']);

const poisons: Readonly<
  Record<PoisonColumn, { readonly kind: string; readonly set: string; readonly repair: string }>
> = {
  'companies.founded_date': {
    kind: 'companies',
    set: `update companies set founded_date = 'infinity', year_founded = null where id = $1`,
    repair: 'update companies set founded_date = null where id = $1',
  },
  'events.start_date': {
    kind: 'events',
    set: `update events set start_date = 'infinity', end_date = null where id = $1`,
    repair: 'update events set start_date = null where id = $1',
  },
  'companies.tags': {
    kind: 'companies',
    set: `update companies set tags = '{{a,b},{c,d}}' where id = $1`,
    repair: `update companies set tags = '{}' where id = $1`,
  },
  'roles.position': {
    kind: 'people',
    set: 'update roles set position = 2147483647 where person_id = $1',
    repair: 'update roles set position = 0 where person_id = $1',
  },
};

/** Rows are written by a transaction of their own, or by an open one. Refused writes are left out. */
export async function write(world: World, step: WriteStep): Promise<void> {
  world.writtenMeanwhile = true;
  const open = step.tx === undefined ? undefined : world.transactions.get(step.tx);
  if (step.tx !== undefined && open === undefined) return;
  if (open !== undefined) return inTransaction(world, step.tx ?? 0, open, step);
  await world.withClient(async (client) => {
    if (step.do === 'update-unflushed') await client.query('set synchronous_commit = off');
    if (step.isReplica === true) await client.query('set session_replication_role = replica');
    if (step.isReplica === true || step.do === 'attach') world.unnoted = true;
    if (step.do === 'poison') await dropConstraints(client, step.column);
    await refusable(() => statement(world, client, step));
  });
}

async function inTransaction(world: World, number: number, client: pg.Client, step: WriteStep): Promise<void> {
  // Readers would wait for these locks for as long as the transaction is open.
  if (step.do === 'truncate' || step.do === 'poison' || step.do === 'attach') return;
  if (await refusable(() => statement(world, client, step))) return;
  await client.query('rollback').catch(() => undefined);
  world.transactions.delete(number);
  await client.end();
}

/** Returns true if the work was done, false if the database refused it as it may. */
async function refusable(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    if (expected.has(error.code ?? '')) return false;
    throw new ViolationError('refused', `A write fails that the tables allow: ${error.message}`);
  }
}

async function statement(world: World, client: pg.Client, step: WriteStep): Promise<unknown> {
  world.serial += 1;
  const word = `n${world.serial}`;
  if (world.views) {
    const statements = teamStatements(step, word);
    for (const [text, ...values] of statements) await client.query(text, values);
    return;
  }
  switch (step.do) {
    case 'insert':
      return client.query(`insert into ${step.kind} (id, name, slug, overview) values ($1, $2, $3, $4)`, [
        step.id,
        `New ${word}`,
        word,
        word,
      ]);
    case 'update':
    case 'update-unflushed':
      return client.query(`update ${step.kind} set overview = $2 where id = $1`, [step.id, word]);
    case 'update-all':
      return client.query(`update ${step.kind} set overview = $1`, [word]);
    case 'rename':
      return client.query(`update ${step.kind} set name = $2, slug = $3 where id = $1`, [
        step.id,
        `Name ${word}`,
        word,
      ]);
    case 'delete':
      return client.query(`delete from ${step.kind} where id = $1`, [step.id]);
    case 'truncate':
      return client.query(`truncate ${step.kind} cascade`);
    case 'relate':
      return client.query(
        `insert into roles (person_id, position, title, company_id)
         select $1, (select coalesce(max(position), -1) + 1 from roles where person_id = $1 and position < 1000), $3, $2`,
        [step.person, step.company, word],
      );
    case 'unrelate':
      return client.query('delete from roles where person_id = $1 and company_id = $2', [step.person, step.company]);
    case 'poison':
      world.poisoned.add(`${poisons[step.column].kind}/${step.id}`);
      return client.query(poisons[step.column].set, [step.id]);
    case 'repair-row':
      return client.query(poisons[step.column].repair, [step.id]);
    default:
      throw new Error(`Our own tables know no ${step.do}.`);
  }
}

/** The constraint that forbids the poison, if there is one: older tables were written without it. */
async function dropConstraints(client: pg.Client, column: PoisonColumn): Promise<void> {
  const [table = '', name = ''] = column.split('.');
  const { rows } = await client.query<{ conname: string }>(
    `select c.conname from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any(c.conkey)
     where c.conrelid = $1::regclass and c.contype = 'c' and a.attname = $2`,
    [table, name],
  );
  for (const { conname } of rows) await client.query(`alter table ${table} drop constraint ${conname}`);
}

export async function transact(world: World, { do: what, tx }: TransactionStep): Promise<void> {
  if (what === 'begin' || what === 'begin-repeatable-read') return begin(world, tx, what);
  if (what === 'commit-prepared' || what === 'rollback-prepared') return endPrepared(world, tx, what);
  const client = world.transactions.get(tx);
  if (client === undefined) return;
  if (what === 'savepoint' || what === 'rollback-to-savepoint') {
    const text = what === 'savepoint' ? 'savepoint s' : 'rollback to savepoint s';
    // Without a savepoint the transaction has failed; then it ends like one.
    if (await refusable(() => client.query(text)).catch(() => false)) return;
    await client.query('rollback');
  } else if (what === 'prepare') await prepare(world, tx, client);
  else await client.query(what).catch(() => undefined);
  if (what === 'commit') world.writtenMeanwhile = true;
  world.transactions.delete(tx);
  await client.end();
}

async function begin(world: World, tx: number, what: string): Promise<void> {
  if (world.transactions.has(tx) || world.prepared.has(tx)) return;
  const client = await world.connect();
  await client.query(what === 'begin' ? 'begin' : 'begin isolation level repeatable read');
  world.transactions.set(tx, client);
}

async function prepare(world: World, tx: number, client: pg.Client): Promise<void> {
  const name = nameOf(world, tx);
  try {
    await client.query(`prepare transaction '${name}'`);
    world.prepared.add(tx);
  } catch (error) {
    throw new ViolationError('refused', `A writer can't prepare its transaction: ${String(error)}`);
  }
}

async function endPrepared(world: World, tx: number, what: 'commit-prepared' | 'rollback-prepared'): Promise<void> {
  if (!world.prepared.delete(tx)) return;
  world.writtenMeanwhile = true;
  await world.query(`${what.replace('-', ' ')} '${nameOf(world, tx)}'`).catch(() => undefined);
}

function nameOf(world: World, tx: number): string {
  return `tx-${world.database}-${tx}`;
}

/** Writers stop: what is open is given up, what is prepared is committed. */
export async function stopWriters(world: World): Promise<void> {
  for (const [tx, client] of world.transactions) {
    await client.query('rollback').catch(() => undefined);
    await client.end().catch(() => undefined);
    world.transactions.delete(tx);
  }
  for (const tx of [...world.prepared]) await endPrepared(world, tx, 'commit-prepared');
}
