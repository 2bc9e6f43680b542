import { counted } from '../../src/lib/text/counted.ts';
import type { Generation } from '../generations/generations.ts';
import type { Comparison } from '../generations/model.ts';
import { entityIdOf } from '../verify/differences.ts';
import { verifyGeneration } from '../verify/verify.ts';
import type { ReindexContext } from './load.ts';

const maxSamples = 5;
const maxLetterSamples = 20;

/** Compares a generation that is being followed with the tables. Its dead letters are not counted as differences. */
export async function compareWithTables(
  context: ReindexContext,
  generation: Generation,
  signal: AbortSignal,
): Promise<Comparison> {
  const { pool } = context;
  const report = await verifyGeneration(context, generation, { deep: false, signal });
  const { rows } = await pool.query<{ id: number; reason: string }>(
    'select id, left(reason, 300) as reason from search_dead_letters where generation_id = $1 order by id',
    [generation.id],
  );
  const letters = new Set(rows.map(({ id }) => id));
  const differences = report.differences.filter(({ key }) => !letters.has(entityIdOf(key) ?? 0));
  // A row that changes all the time and is always rejected is judged by its letter.
  const rejected = report.changingKeys.filter((key) => letters.has(entityIdOf(key) ?? 0)).length;
  if (differences.length === 0 && report.unjudged > rejected) {
    throw new Error(
      `${counted(report.unjudged - rejected, 'document')} could not be compared: they changed at every check.`,
    );
  }
  // More letters than differences are held: they may hide other differences.
  if (differences.length === 0 && !report.complete) {
    throw new Error(
      `The comparison stopped at ${counted(report.differences.length, 'document')} that Elasticsearch rejected.`,
    );
  }
  return {
    documents: report.documents,
    rows: report.rows,
    deadLetters: letters.size,
    letterSamples: rows.slice(0, maxLetterSamples).map(({ id, reason }) => withRow(generation.kind, id, reason)),
    differences: differences.length,
    samples: differences.slice(0, maxSamples).map(({ key, kind }) => `${kind} ${key}`),
  };
}

/** Elasticsearch's own reasons do not name the row. */
function withRow(kind: string, id: number, reason: string): string {
  return reason.startsWith(`${kind} ${id}: `) ? reason : `${kind} ${id}: ${reason}`;
}
