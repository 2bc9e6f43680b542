import { fetchModel } from '../../../dev/embeddings/fetch-model.ts';
import { FetchError } from '../../../dev/lib/fetch-once.ts';
import type { LocalEmbeddings } from '../../../src/config/embeddings.ts';
import { defaultModelPath, localModel } from '../../../src/embeddings/local/local-model.ts';
import { embeddingModel } from '../../../src/embeddings/model.ts';

/** The settings of the local model for `EMBEDDINGS=local`. */
export const localEmbeddings: LocalEmbeddings = {
  provider: 'local',
  model: embeddingModel(localModel.name, localModel.dimension),
  modelPath: defaultModelPath,
  batchSize: 32,
};

/**
 * Jest's `test` if the local model exists or can be fetched; otherwise `test.skip` and a message with `what` and the
 * reason.
 */
export async function testWithLocalModel(what: string): Promise<typeof test | typeof test.skip> {
  const printLine = (line: string): void => void process.stderr.write(`${line}\n`);
  try {
    await fetchModel({ folder: localEmbeddings.modelPath, env: process.env, printLine });
    return test;
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    printLine(`SKIPPED: ${what}. ${error.message}`);
    return test.skip;
  }
}
