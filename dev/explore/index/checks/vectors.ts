import { embeddingModel } from '../../../../src/embeddings/model.ts';
import type { KindName } from '../../../../src/kinds/kind.ts';
import { kinds } from '../../../../src/kinds/registry.ts';
import { type EmbeddingModelName, embeddingModelNames } from '../schedule/step.ts';
import { embeddingDimension, storedVector } from '../world/embedding-provider.ts';
import { ViolationError, type World } from '../world/world.ts';

/** Checks that every stored vector belongs to the text whose hash is stored with it. Throws `ViolationError`. */
export async function checkVectors(world: World): Promise<void> {
  for (const name of embeddingModelNames) {
    const rows = await world.query<{ kind: string; id: number; hash: string; vector: string }>(
      `select kind, id::int, text_hash as hash, encode(vector, 'hex') as vector from entity_vectors where model = $1`,
      [embeddingModel(name, embeddingDimension).key],
    );
    const wrong = rows.find(({ hash, vector }) => vector !== storedVector(hash, name));
    if (wrong === undefined) continue;
    throw new ViolationError('vector', `${wrong.kind} ${wrong.id} has a vector of ${name} that is not of its text.`);
  }
}

/** Each row of these kinds has the vector of its present text, and nothing else has one. Throws `ViolationError`. */
export async function checkFilled(world: World, name: EmbeddingModelName, wanted: readonly KindName[]): Promise<void> {
  for (const kind of wanted) {
    const { sql } = kinds[kind];
    const rows = await world.query<{ id: number }>(
      `select coalesce(e.id, v.id)::int as id
       from (select ${sql.id} as id, md5(${sql.text}) as hash from ${sql.table}) as e
       full join (select id, text_hash as hash from entity_vectors where kind = $1 and model = $2) as v on v.id = e.id
       where v.hash is distinct from e.hash order by 1`,
      [kind, embeddingModel(name, embeddingDimension).key],
    );
    if (rows.length === 0) continue;
    const ids = rows.map(({ id }) => id).join(',');
    throw new ViolationError('vector', `embed ended with code 0, and ${kind} ${ids} have no vector of their text.`);
  }
}
