import { z } from 'zod';
import { type KindName, kindNames } from '../../src/kinds/kind.ts';

/** The form of a query's judgment; see `docs/relevance.md`. */
export const judgingWays = ['known-item', 'graded', 'condensed', 'absent'] as const;

const judgedQuery = z.object({
  qid: z.string(),
  class: z.string(),
  type: z.enum([...kindNames, 'all']),
  q: z.string(),
  eval: z.enum(judgingWays),
  /** The ids that were judged at all, for condensed queries. */
  universe: z.string().optional(),
  relevant: z.array(
    z.object({ kind: z.enum(kindNames), id: z.number(), name: z.string().optional(), grade: z.int().min(1).max(3) }),
  ),
});
export type JudgedQuery = z.infer<typeof judgedQuery>;

const judgmentsFile = z.object({
  universes: z.record(z.string(), z.array(z.number())).default({}),
  queries: z.array(judgedQuery),
});

export interface Judgments {
  readonly universes: ReadonlyMap<string, ReadonlySet<number>>;
  readonly queries: readonly JudgedQuery[];
}

export function parseJudgments(text: string): Judgments {
  const { universes, queries } = judgmentsFile.parse(JSON.parse(text));
  for (const query of queries) {
    if (query.eval === 'condensed' && universes[query.universe ?? ''] === undefined) {
      throw new Error(`${query.qid} is condensed, but the file has no universe "${query.universe}"`);
    }
    if (query.eval !== 'absent' && query.relevant.length === 0) throw new Error(`${query.qid} has no relevant entity`);
  }
  return {
    universes: new Map(Object.entries(universes).map(([name, ids]) => [name, new Set(ids)])),
    queries,
  };
}

export interface Hit {
  readonly kind: KindName;
  readonly id: number;
  readonly name: string;
}
