import type { JudgedQuery } from '../judgments.ts';
import { collectAbsentQueries } from './absent.ts';
import { QueryCollector } from './collector.ts';
import type { Entity } from './entities.ts';
import { collectEventQueries } from './events.ts';
import { collectIdentifierQueries } from './identifiers.ts';
import { NameIndex } from './name-index.ts';
import { collectNameQueries } from './names.ts';
import { collectTopicQueries, type Universes, universesOf } from './topics.ts';

export interface GeneratedJudgments {
  readonly universes: Universes;
  readonly queries: readonly JudgedQuery[];
}

/**
 * Makes judged queries of every class from the data alone, so that a change can be tried on texts that nobody has
 * seen. The same seed and data give the same queries.
 * @param perClass at most so many of a class
 * @param avoid texts of queries that were looked at before
 */
export function generateQueries(
  entities: readonly Entity[],
  seed: number,
  perClass: number,
  avoid: readonly string[],
): GeneratedJudgments {
  const names = new NameIndex(entities);
  const collector = new QueryCollector(seed, perClass, avoid);
  collectNameQueries(collector, names);
  collectIdentifierQueries(collector, names);
  collectTopicQueries(collector, names);
  collectEventQueries(collector, names);
  collectAbsentQueries(collector, names);
  return { universes: universesOf(names), queries: collector.queries };
}
