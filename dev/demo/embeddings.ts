import { type EmbeddingsConfig, readEmbeddings } from '../../src/config/embeddings.ts';
import { type Environment, SettingsError } from '../../src/config/settings.ts';
import { createEmbeddingProvider } from '../../src/embeddings/create-provider.ts';
import { checkProvider, EmbeddingError } from '../../src/embeddings/provider.ts';
import { fetchModel } from '../embeddings/fetch-model.ts';
import { FetchError } from '../lib/fetch-once.ts';
import { logStep, type PrintLine } from '../lib/log-step.ts';
import { DemoConfigError } from './config.ts';

export interface DemoEmbeddings {
  readonly config: EmbeddingsConfig | null;
  readonly env: Readonly<Record<string, string>>;
}

const off: DemoEmbeddings = { config: null, env: { EMBEDDINGS: 'off' } };
const checkTimeoutMs = 60_000;

export async function demoEmbeddings(
  env: Environment,
  printLine: PrintLine,
  signal: AbortSignal,
): Promise<DemoEmbeddings> {
  const isGiven = (env.EMBEDDINGS ?? '') !== '';
  const chosen = isGiven ? {} : { EMBEDDINGS: 'local' };
  try {
    const config = readEmbeddings({ ...env, ...chosen });
    if (config === null) return off;
    await prepare(config, env, printLine, signal);
    return { config, env: chosen };
  } catch (error) {
    const isKnown = [FetchError, EmbeddingError, SettingsError].some((kind) => error instanceof kind);
    if (!isKnown || !(error instanceof Error)) throw error;
    if (isGiven) throw new DemoConfigError(error.message, { cause: error });
    printLine(`Embeddings: none, so searches use only words. ${error.message}`);
    return off;
  }
}

async function prepare(
  config: EmbeddingsConfig,
  env: Environment,
  printLine: PrintLine,
  signal: AbortSignal,
): Promise<void> {
  if (config.provider === 'local') {
    await fetchModel({ folder: config.modelPath, env, printLine, signal });
  }
  const provider = createEmbeddingProvider(config);
  try {
    await logStep(printLine, `Embeddings: asking ${config.model.name}`, () => checkProvider(provider, checkTimeoutMs));
  } finally {
    await provider.close();
  }
}
