import type { KindName } from '../../../../src/kinds/kind.ts';
import { type StoredIndex, ViolationError, type World } from '../world/world.ts';
import { type Compared, comparedText, compareIndex, expectedDocuments, isEqual } from './compare.ts';
import { teamDifference } from './team.ts';
import { checkVectors } from './vectors.ts';

export async function checkInvariants(world: World): Promise<void> {
  for (const kind of world.kinds) await checkAlias(world, kind);
  await checkPositions(world);
  if (world.embeddings) await checkVectors(world);
  for (const one of await world.generations())
    await checkLetters(world, one, (id) => !world.poisoned.has(`${one.kind}/${id}`));
}

/** The alias names exactly one index, and that was whole when it was named. */
async function checkAlias(world: World, kind: KindName): Promise<void> {
  const named = await world.live(kind);
  const before = world.aliases.get(kind);
  const [index] = named;
  if (world.manualChanges.has(`alias ${kind}`)) {
    if (named.length !== 1 || index === before) return;
    world.manualChanges.delete(`alias ${kind}`);
  }
  if (index === undefined || named.length !== 1) {
    throw new ViolationError(
      'alias',
      `The alias of ${kind} names ${named.length === 0 ? 'nothing' : named.join(' and ')}.`,
    );
  }
  if (index === before) return;
  world.aliases.set(kind, index);
  if (before === undefined) return;
  let compared = await compareNamed(world, kind, index);
  if (!isEqual(compared)) {
    // Concurrent writes may still be pending.
    await world.run(['sync', '--once']);
    compared = await compareNamed(world, kind, index);
  }
  const excused = await lettersOf(world, index);
  if (isEqual(withoutRejected(compared, excused))) return;
  throw new ViolationError(
    'alias',
    `The alias of ${kind} was given to ${index}, which is not whole: ${comparedText(compared)}.`,
  );
}

async function compareNamed(world: World, kind: KindName, index: string): Promise<Compared> {
  const generations = await world.generations();
  const known =
    generations.find(({ indexName }) => indexName === index) ?? generations.find((one) => one.kind === kind);
  if (known === undefined) throw new Error(`Nothing is known of ${index}.`);
  return world.withClient((client) => compareIndex(client, world.elasticsearch, { ...known, indexName: index }));
}

export function compareGeneration(world: World, generation: StoredIndex): Promise<Compared> {
  return world.withClient((client) => compareIndex(client, world.elasticsearch, generation));
}

/** Rejected documents are missing, or unchanged. */
export function withoutRejected(compared: Compared, ids: ReadonlySet<number>): Compared {
  return {
    ...compared,
    missing: compared.missing.filter((id) => !ids.has(id)),
    stale: compared.stale.filter((id) => !ids.has(id)),
  };
}

export async function lettersOf(world: World, index: string): Promise<ReadonlySet<number>> {
  const rows = await world.query<{ id: string }>(
    `select l.id from search_dead_letters l join search_generations g on g.id = l.generation_id where index_name = $1`,
    [index],
  );
  return new Set(rows.map(({ id }) => Number(id)));
}

/** `verify` or `repair` ended with code 0: then these kinds are equal. Throws `ViolationError`. */
export async function checkEqual(world: World, said: string, kinds: readonly KindName[]): Promise<void> {
  if (world.writtenMeanwhile) await world.run(['sync', '--once']);
  for (const kind of kinds) {
    const named = await world.live(kind);
    const [index] = named;
    if (index === undefined || named.length > 1) {
      throw new ViolationError(
        'equal',
        `${said} says equal, and the alias of ${kind} names ${named.join(' and ') || 'nothing'}.`,
      );
    }
    const compared = withoutRejected(await compareNamed(world, kind, index), await lettersOf(world, index));
    if (!isEqual(compared)) {
      throw new ViolationError('equal', `${said} says equal, and ${index} is not: ${comparedText(compared)}.`);
    }
    const difference = world.views ? await teamDifference(world, kind) : undefined;
    if (difference !== undefined) throw new ViolationError('equal', `${said} says equal, and ${difference}.`);
  }
}

/** Checks that a swapped index has everything committed before the swap. Throws `ViolationError`. */
export async function checkSwapped(world: World, kinds: readonly KindName[]): Promise<void> {
  for (const kind of kinds.filter((one) => world.kinds.includes(one))) {
    const [index = ''] = await world.live(kind);
    const compared = withoutRejected(await compareNamed(world, kind, index), await lettersOf(world, index));
    if (isEqual(compared) || world.spoiled.has(index)) continue;
    throw new ViolationError(
      'alias',
      `The alias of ${kind} was given to ${index}, which lags: ${comparedText(compared)}.`,
    );
  }
}

async function checkPositions(world: World): Promise<void> {
  const rows = await world.query<{ index_name: string; position: string; settled: string }>(
    `select index_name, position::text, settled_position::text as settled from search_generations
     where settled_position is not null
       and (pg_snapshot_xmax(settled_position) > pg_snapshot_xmax(position)
            or exists (select from pg_snapshot_xip(position) as open
                       where open < pg_snapshot_xmax(settled_position)
                         and not open = any(array(select pg_snapshot_xip(settled_position)))))`,
  );
  const [first] = rows;
  if (first === undefined) return;
  const { index_name: index, position, settled } = first;
  throw new ViolationError(
    'settled',
    `The settled position of ${index} (${settled}) is beyond its position (${position}).`,
  );
}

/**
 * A dead letter is a document that can't be built, or that Elasticsearch would refuse. One of a row that was repaired
 * stays until it is read again, so only at rest each letter counts. Throws `ViolationError`.
 */
export async function checkLetters(
  world: World,
  generation: StoredIndex,
  counts: (id: number) => boolean = () => true,
): Promise<void> {
  const letters = [...(await lettersOf(world, generation.indexName))].filter(counts);
  if (letters.length === 0) return;
  const { expected, broken } = await world.withClient((client) =>
    expectedDocuments(client, generation.kind, generation.documentSql),
  );
  const impossible = new Set(broken);
  for (const id of letters) {
    const document = expected.get(id);
    // A row that was deleted since takes its letter with it when it is read again.
    if (impossible.has(id) || document === undefined) continue;
    if (!(await takes(world, generation.indexName, document))) continue;
    throw new ViolationError(
      'letter',
      `${generation.indexName} has a dead letter of ${id}, which Elasticsearch takes.`,
    );
  }
}

interface IndexDefinition {
  readonly settings: { readonly index: Readonly<Record<string, unknown>> };
  readonly mappings: object;
}

/** Returns true if Elasticsearch accepts the document in an index of the same mapping. */
async function takes(world: World, index: string, document: string): Promise<boolean> {
  const scratch = `${world.prefix}scratch`;
  const { body } = await world.elasticsearch<Record<string, IndexDefinition>>('GET', `/${index}`);
  const { uuid, version, creation_date, provided_name, blocks, verified_before_close, routing, ...settings } =
    body[index]?.settings.index ?? {};
  const made = await world.elasticsearch('PUT', `/${scratch}`, {
    settings: { ...settings, number_of_replicas: 0 },
    mappings: body[index]?.mappings,
  });
  if (made.status !== 200) throw new Error(`The scratch index could not be made: ${JSON.stringify(made.body)}`);
  const { status } = await world.elasticsearch('POST', `/${scratch}/_doc`, JSON.parse(document));
  await world.elasticsearch('DELETE', `/${scratch}`);
  return status < 300;
}
