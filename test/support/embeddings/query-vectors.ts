import { type EmbeddingModel, embeddingModel, vectorField } from '../../../src/embeddings/model.ts';
import type { QueryEmbedder } from '../../../src/ports.ts';
import { type TermVectors, termVectors } from '../../../src/search/meaning/term-vectors.ts';

/** A model with two numbers, whose angle shows nearness. */
export const angleModel: EmbeddingModel = embeddingModel('angles', 2);

/** Terms for which no angle is off topic. */
export const anyAngle: TermVectors = termVectors(
  [{ term: 'at an angle of 0', phrase: 'at an angle of 0' }],
  [Float32Array.of(1, 0)],
  [],
  [Float32Array.of(-1, 0)],
);

/** Settings with which indices get vectors of `angleModel`; the address is closed, as reindexing needs no vectors. */
export const angleEnv = {
  EMBEDDINGS: 'http://127.0.0.1:1',
  EMBEDDINGS_MODEL: angleModel.name,
  EMBEDDINGS_DIMENSION: String(angleModel.dimension),
} as const;

/** Scripted vectors of queries. */
export interface AngleEmbedder extends QueryEmbedder {
  /** All texts for which a vector was requested. */
  readonly asked: string[];
  /** True if there are vectors; otherwise the provider is down. */
  isThere: boolean;
  /** The terms to compare texts with. */
  termVectors: TermVectors;
}

/** Every text points at an angle of 0. */
export function createAngleEmbedder(): AngleEmbedder {
  const state = {
    asked: [] as string[],
    isThere: true,
    termVectors: anyAngle,
    model: angleModel,
    field: vectorField(angleModel),
    state: () => (state.isThere ? ('ready' as const) : ('unavailable' as const)),
    check: async () => state.state(),
    terms: () => state.termVectors,
    embed: async (text: string) => {
      state.asked.push(text);
      return state.isThere ? '7f00' : null;
    },
  };
  return state;
}

/** Returns SQL that stores vectors of entities, at an angle of this many degrees per unit of the id. */
export function angleVectors(kind: string, degrees: number, where: string): string {
  const byte = (value: string) => `substring(int8send((round(127 * ${value}))::bigint) from 8 for 1)`;
  return `insert into entity_vectors (kind, id, model, text_hash, vector)
    select '${kind}', id, '${angleModel.key}', md5(name),
      ${byte(`cosd(id * ${degrees})`)} || ${byte(`sind(id * ${degrees})`)}
    from ${kind} where ${where};`;
}
