import { limitedConfig } from '../../../dev/lib/limits.ts';
import { connect } from '../../../src/connect.ts';
import * as payments from '../../../src/connect-payments.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { createRegistry } from '../../../src/metrics/registry.ts';
import { noTermVectors } from '../../../src/search/meaning/term-vectors.ts';
import { emptyKnowledge } from '../../../src/search/questions/knowledge.ts';
import { realClock } from './in-process.ts';
import { patientEnv } from './process.ts';
import { serveChecked } from './serve.ts';

/** The API on real engines in the test's process. */
export interface ConnectedApi extends AsyncDisposable {
  readonly url: string;
  /** Returns true once the words of the data and the vectors of the vocabulary are known, which change answers. */
  knowsData(): boolean;
  readonly log: readonly Record<string, unknown>[];
}

/**
 * Starts the API on a free port, connected as in a separate process. It lacks signals, an exit code and the page of
 * metrics, and saves the second of processor time that a process needs.
 */
export async function startConnectedApi(given: Readonly<Record<string, string>>): Promise<ConnectedApi> {
  const config = limitedConfig(patientEnv(given));
  const log: Record<string, unknown>[] = [];
  const logger = createLogger(config.log.level, { write: (line) => void log.push(JSON.parse(line)) });
  const connected = connect(config, realClock, logger, createRegistry(), payments);
  const { url, close } = await serveChecked(connected.deps);
  connected.start();
  return {
    url,
    knowsData: () =>
      connected.deps.knowledge.latest() !== emptyKnowledge && connected.deps.embeddings?.terms() !== noTermVectors,
    log,
    [Symbol.asyncDispose]: () => close().finally(() => connected.close()),
  };
}
