import type { Question, RelatedClass } from './questions/question.ts';
import type { Clause } from './ranking/clauses.ts';
import type { Seed } from './ranking/similar.ts';

/** The entities that results must be related to, or like. */
export interface Related {
  /** The named entity, or the one that results must be like; null if there is none. */
  readonly seed: Seed | null;
  /** The entities of the class in the question, such as "german vcs"; absent without a class. */
  readonly related?: { readonly kind: RelatedClass['kind']; readonly ids: readonly number[] };
}

const relatedIdFields = { investors: 'search.investor_ids', companies: 'search.company_ids' } as const;

/** Matches the wanted entities by the ids of the class or of the named entity, or by the list in its record. */
export function listedIn(question: Question | null, { seed, related }: Related): Clause[] {
  if (related !== undefined) return [{ terms: { [relatedIdFields[related.kind]]: related.ids } }];
  const { like = '', kinds: [kind = ''] = [] } = question ?? {};
  if (like !== null || seed === null) return [];
  if (seed.kind === 'investors' || seed.kind === 'companies')
    return [{ term: { [relatedIdFields[seed.kind]]: seed.id } }];
  return [{ terms: { slug: seed.traits[kind] ?? [] } }];
}
