import type { JudgedQuery } from '../judgments.ts';
import { askByAbsence } from './absent.ts';
import { Asked } from './collector.ts';
import type { Entity } from './entities.ts';
import { askByEvent } from './events.ts';
import { askByMark } from './identifiers.ts';
import { Names } from './name-index.ts';
import { askByName } from './names.ts';
import { askByTopic, type Universes, universesOf } from './topics.ts';

export interface MadeJudgments {
  readonly universes: Universes;
  readonly queries: readonly JudgedQuery[];
}

/**
 * Makes judged queries of every class from the data alone, so that a change can be tried on texts that nobody has
 * seen. The same seed and data give the same queries.
 * @param perClass at most so many of a class
 * @param avoid texts of queries that were looked at before
 */
export function makeQueries(
  entities: readonly Entity[],
  seed: number,
  perClass: number,
  avoid: readonly string[],
): MadeJudgments {
  const names = new Names(entities);
  const asked = new Asked(seed, perClass, avoid);
  askByName(asked, names);
  askByMark(asked, names);
  askByTopic(asked, names);
  askByEvent(asked, names);
  askByAbsence(asked, names);
  return { universes: universesOf(names), queries: asked.queries };
}
