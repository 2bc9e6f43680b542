import { type Corpus, corpusClient, dropCorpus, loadCorpus, readingOf, searchOf } from '../../dev/eval/corpus.ts';
import type { Judgments } from '../../dev/eval/judgments.ts';
import { type Run, runQueries } from '../../dev/eval/run.ts';
import type { Environment } from '../../src/config/settings.ts';
import { requiredEnv } from './jest/required-env.ts';

/** Loads a folder into a corpus of its own, asks the queries and removes the corpus again. */
export async function runOnFolder(
  name: string,
  folder: string,
  judgments: Judgments,
  settings: Environment = {},
): Promise<Run> {
  const corpus: Corpus = {
    name: `${name}_${process.pid}`,
    postgresUrl: requiredEnv('TEST_DATABASE_URL'),
    elasticsearchUrl: requiredEnv('TEST_ELASTICSEARCH_URL'),
    settings,
  };
  const client = corpusClient(corpus);
  try {
    await loadCorpus(corpus, [folder], new AbortController().signal);
    return await runQueries(judgments, searchOf(corpus, client, await readingOf(corpus, client)), false);
  } finally {
    await client.close();
    await dropCorpus(corpus);
  }
}
