import type pg from 'pg';
import { identitySql } from '../../src/postgres/identity.ts';
import { inTransaction } from '../../src/postgres/pool.ts';
import { PartsChangedError, type ReaderParts } from './parts.ts';

// How the documents of an index are divided among readers. Whoever holds several parts reads the log once for all of
// them, so they stand at the same place. Going back is always safe, because what is applied twice carries versions: so
// wherever parts come together, or are divided anew, they go on from what all of them have applied.

/** Into how many parts every sync divides an index. */
export async function readPartCount(pool: pg.Pool | pg.ClientBase): Promise<number> {
  const { rows } = await pool.query<{ parts: number }>('select parts from search_sync');
  return rows[0]?.parts ?? 1;
}

/** From now on every sync divides an index into so many. Readers go on where the last of the former ones stood. */
export async function setPartCount(pool: pg.Pool, parts: number): Promise<void> {
  await pool.query('update search_sync set parts = $1 where parts <> $1', [parts]);
}

interface Start {
  readonly position: string;
  readonly settled: string | null;
  readonly positionAt: Date | null;
  readonly progressTo: string | null;
  readonly progressXid: string | null;
  readonly progressSeq: number | null;
  readonly identity: string | null;
  readonly sweepAt: Date | null;
  readonly divided: boolean;
}

/** Stands for copies that are not the same for all parts: no index has them, so their readers go back. */
const severalCopies = 'several';

// What the parts that count have in common. The progress beyond a position counts where it is that of all of them.
const startSql = `
  select search_least_snapshot(array_agg(position))::text as position,
         search_least_snapshot(array_agg(coalesce(settled_position, position)))::text as settled,
         min(position_at) as "positionAt", min(sweep_at) as "sweepAt",
         case when same then min(progress_to::text) end as "progressTo",
         case when same then min(progress_xid::text) end as "progressXid",
         case when same then min(progress_seq) end as "progressSeq",
         case when count(distinct coalesce(target_identity, '')) = 1 then min(target_identity)
              else '${severalCopies}' end as identity
  from (
    select *, (select count(distinct concat_ws(' ', position, progress_to, progress_xid, progress_seq)) = 1
               from search_positions where generation_id = $1) as same
    from search_positions where generation_id = $1
  ) as parts group by same`;

/**
 * Divides an index among so many parts, unless it is. Each begins at what all former ones have applied. Throws
 * `PartsChangedError` where that is not the number that sync has been told, but for one.
 */
export function divideIndex(pool: pg.Pool, generationId: number, of: number): Promise<void> {
  return inTransaction(pool, async (client) => {
    // Whoever halts it meanwhile waits, and makes an end of what is divided here.
    const { rowCount } = await client.query(
      'select from search_generations where id = $1 and ended_at is null and position is not null for update',
      [generationId],
    );
    if (rowCount !== 1) return;
    const configured = await readPartCount(client);
    if (of !== 1 && of !== configured) throw new PartsChangedError(of, configured);
    if (await isDivided(client, generationId, of)) return;
    const { rows } = await client.query<Start>(startSql, [generationId]);
    const [start] = rows;
    if (start === undefined) return;
    const { rows: former } = await client.query<{ changes: number }>(
      'delete from search_reader_parts where generation_id = $1 returning changes_applied as changes',
      [generationId],
    );
    await client.query(
      `update search_generations set changes_applied = changes_applied + $2,
              source_identity = coalesce(source_identity, ${identitySql}) where id = $1`,
      [generationId, former.reduce((sum, { changes }) => sum + changes, 0)],
    );
    await insertParts(client, generationId, of, start);
  });
}

async function isDivided(client: pg.ClientBase, generationId: number, of: number): Promise<boolean> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*) as count from search_reader_parts p join search_generations g on g.id = p.generation_id
     where g.id = $1 and p.base::text = g.position::text and p.parts = $2`,
    [generationId, of],
  );
  return rows[0]?.count === of;
}

async function insertParts(client: pg.ClientBase, generationId: number, of: number, start: Start): Promise<void> {
  const { position, positionAt, settled, progressTo, progressXid, progressSeq, identity, sweepAt } = start;
  await client.query(
    `insert into search_reader_parts
       (generation_id, part, parts, base, position, position_at, settled_position, progress_to, progress_xid,
        progress_seq, target_identity, sweep_at)
     select g.id, part, $2, g.position, $3::pg_snapshot, $4, $5::pg_snapshot, $6::pg_snapshot, $7::xid8, $8, $9, $10
     from search_generations g cross join generate_series(0, $2::int - 1) as part where g.id = $1`,
    [generationId, of, position, positionAt, settled, progressTo, progressXid, progressSeq, identity, sweepAt],
  );
}

/** Lets parts that stand at different places go on together, from what all of them have applied. */
export async function alignParts(pool: pg.Pool, generationId: number, { of, held }: ReaderParts): Promise<void> {
  await pool.query(
    `with held as (
       select * from search_reader_parts
       where generation_id = $1 and parts = $2 and part = any($3::int[]) order by part for update
     ), common as (
       select search_least_snapshot(array_agg(position)) as position,
              search_least_snapshot(array_agg(coalesce(settled_position, position))) as settled,
              min(sweep_at) as sweep_at,
              case when count(distinct coalesce(target_identity, '')) = 1 then min(target_identity)
                   else '${severalCopies}' end as identity
       from held
     )
     update search_reader_parts p
     set position = common.position, settled_position = common.settled, between_position = null, between_at = null,
         progress_to = null, progress_xid = null, progress_seq = null, target_identity = common.identity,
         sweep_at = common.sweep_at
     from common where p.generation_id = $1 and p.part in (select part from held)`,
    [generationId, of, held],
  );
}
