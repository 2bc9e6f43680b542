import { databaseConfig } from '../../../../src/config/indexer.ts';
import type { KindName } from '../../../../src/kinds/kind.ts';
import { createPool } from '../../../../src/postgres/pool.ts';
import { createEntityStore } from '../../../../src/postgres/records.ts';
import type { RemovalPage, RemovalPlace } from '../../../../src/records/ports.ts';
import { entityOf, teamEntities } from '../world/team-tables.ts';
import { ViolationError, type World } from '../world/world.ts';

// A team's tables, and a copy that a program keeps by GET /removals.

type Shown = keyof typeof teamEntities;
const shown: readonly Shown[] = ['companies', 'people'];

async function documents(world: World, kind: Shown) {
  const [index = ''] = await world.live(kind);
  await world.elasticsearch('POST', `/${index}/_refresh`);
  const { status, body } = await world.elasticsearch<{
    hits: { hits: readonly { _id: string; _source: Parameters<typeof entityOf>[1] }[] };
  }>('POST', `/${index}/_search`, { size: 1_000 });
  if (status !== 200) throw new Error(`The index of ${kind} answers ${status}.`);
  return body.hits.hits;
}

/** The difference between the index and the team's own view, in words; undefined if there is none. */
export async function teamDifference(world: World, kind: KindName): Promise<string | undefined> {
  const name = shown.find((one) => one === kind);
  if (name === undefined) return undefined;
  const wanted = new Set(
    (await world.query<{ entity: string }>(teamEntities[name])).map(({ entity }) => compact(entity)),
  );
  const found = new Set((await documents(world, name)).map(({ _source }) => entityOf(name, _source)));
  const missing = [...wanted].filter((entity) => !found.has(entity));
  const extra = [...found].filter((entity) => !wanted.has(entity));
  if (missing.length + extra.length === 0) return undefined;
  return `${kind} differ from the team's view: ${missing.join(' ')} missing, ${extra.join(' ')} there`;
}

const compact = (json: string): string => JSON.stringify(JSON.parse(json));

/** Polls as the API's documentation describes: the first cursor, then a list; later a list, then removals. */
export async function pollCopies(world: World): Promise<void> {
  const settings = databaseConfig({ ...world.env(), DATABASE_URL: world.pair.url(world.database) });
  const pool = createPool({ ...settings, maxConnections: 1 }, () => undefined);
  const read = async (kind: Shown, place: RemovalPlace | null) => {
    const fetched = await createEntityStore(pool, 5_000).removals(kind, place, 2);
    if (!fetched.ok) throw fetched.cause;
    return fetched.value;
  };
  try {
    for (const kind of shown) while (!(await pollCopy(world, kind, read))) world.copies.delete(kind);
  } finally {
    await pool.end();
  }
}

/** Returns false if the cursor is unknown: then the copy is built again. */
async function pollCopy(
  world: World,
  kind: Shown,
  read: (kind: Shown, place: RemovalPlace | null) => Promise<RemovalPage | null>,
): Promise<boolean> {
  const copy = world.copies.get(kind) ?? { ids: new Set(), place: (await read(kind, null))?.next ?? null };
  world.copies.set(kind, copy);
  for (const { _id } of await documents(world, kind)) copy.ids.add(Number(_id));
  for (let hasMore = true; hasMore; ) {
    const page = await read(kind, copy.place);
    if (page === null) return false;
    for (const { id } of page.removals) copy.ids.delete(id);
    copy.place = page.next;
    ({ hasMore } = page);
  }
  return true;
}

/** At rest a copy has what the index has. Throws `ViolationError`. */
export async function checkCopies(world: World): Promise<void> {
  await pollCopies(world);
  for (const kind of shown) {
    const there = new Set((await documents(world, kind)).map(({ _id }) => Number(_id)));
    const extra = [...(world.copies.get(kind)?.ids ?? [])].filter((id) => !there.has(id));
    if (extra.length === 0) continue;
    throw new ViolationError('copy', `The copy of ${kind} has ${extra.join(', ')}, which no removal named.`);
  }
}
