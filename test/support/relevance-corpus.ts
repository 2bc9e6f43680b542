import { readingOf, searchOf } from '../../dev/eval/corpus.ts';
import type { Judgments } from '../../dev/eval/judgments.ts';
import { type Run, runQueries } from '../../dev/eval/run.ts';
import { createTestClient } from './engines/indices.ts';
import type { SearchStage } from './stages/features.ts';

/** Asks the judged queries of a stage's indices. */
export async function judgedRun({ env }: SearchStage, judgments: Judgments): Promise<Run> {
  const client = createTestClient();
  try {
    const reading = await readingOf(env.INDEX_PREFIX, client);
    return await runQueries(judgments, searchOf(env.INDEX_PREFIX, client, reading), false);
  } finally {
    await client.close();
  }
}
