import type { JudgedQuery } from '../judgments.ts';
import { Asked } from './ask.ts';
import { askByAbsence } from './by-absence.ts';
import { askByEvent } from './by-event.ts';
import { askByMark } from './by-mark.ts';
import { askByName } from './by-name.ts';
import { askByTopic, type Universes, universesOf } from './by-topic.ts';
import type { Entity } from './entities.ts';
import { Names } from './names.ts';

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
