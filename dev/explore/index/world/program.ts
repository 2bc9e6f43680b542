import { startRelay } from '../../../engines/postgres/relay.ts';
import { entitySearch } from '../../../lib/command-line.ts';
import type { EmbeddingModelName, Interruption, ProviderFault, Step } from '../schedule/step.ts';
import { embeddingDimension, startExploredProvider } from './embedding-provider.ts';
import { type OnRequest, startInterceptingProxy } from './intercepting-proxy.ts';

export interface ProgramEnvironment {
  readonly elasticsearch: string;
  readonly databaseUrl: string;
  readonly env: Readonly<Record<string, string>>;
  /** Its provider of embeddings; undefined without one. */
  readonly embeddings: { readonly model: EmbeddingModelName; readonly fault: ProviderFault | undefined } | undefined;
  /** Takes the steps of an interruption. */
  readonly perform: (steps: readonly Step[]) => Promise<void>;
}

export interface ProgramEnd {
  /** Undefined: it was killed. */
  readonly code: number | undefined;
  readonly out: string;
  readonly err: string;
  /** True if the planned event in the middle of it happened. */
  readonly interrupted: boolean;
}

/** Time limit of a program with some dozen rows. */
const patienceMs = 120_000;

export class ProgramHungError extends Error {
  constructor(what: string, err: string) {
    super(`${what} did not end within ${patienceMs / 1_000} s. ${err}`);
    this.name = 'ProgramHungError';
  }
}

/** The work of a program with the given addresses of the engines, until the signal aborts. */
type Work = (env: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<Omit<ProgramEnd, 'interrupted'>>;

export const commandLine =
  (args: readonly string[]): Work =>
  (env, signal) =>
    entitySearch(args, env, signal);

export async function runProgram(
  name: string,
  work: Work,
  { elasticsearch, databaseUrl, env, embeddings, perform }: ProgramEnvironment,
  at: Interruption | undefined,
): Promise<ProgramEnd> {
  const killed = Promise.withResolvers<void>();
  const stopping = new AbortController();
  const database = new URL(databaseUrl);
  const realPort = Number(database.port);
  await using relay = await startRelay(() => realPort);
  let left = at?.nth ?? 0;
  let interrupted = false;
  const onRequest: OnRequest = async (sort, when) => {
    if (at === undefined || interrupted || when !== at.when) return 'go-on';
    if (at.request !== 'any' && at.request !== sort) return 'go-on';
    left -= 1;
    if (left > 0) return 'go-on';
    interrupted = true;
    if (at.act !== 'crash') {
      await perform(at.act).catch(killed.reject);
      return 'go-on';
    }
    relay.cut();
    stopping.abort(new Error('The program is killed.'));
    killed.resolve();
    return 'cut';
  };
  await using gate = await startInterceptingProxy(elasticsearch, onRequest);
  await using provider = embeddings && (await startExploredProvider(embeddings.fault, onRequest));
  const settings = provider && {
    EMBEDDINGS: provider.url,
    EMBEDDINGS_MODEL: embeddings.model,
    EMBEDDINGS_DIMENSION: String(embeddingDimension),
  };
  database.port = String(relay.port);
  const addresses = { ...env, ...settings, DATABASE_URL: database.href, ELASTICSEARCH_URL: gate.url };
  const ended = work(addresses, stopping.signal);
  // After a kill its outcome is ignored.
  ended.catch(() => undefined);
  const timer = Promise.withResolvers<never>();
  const timeout = setTimeout(() => timer.reject(new ProgramHungError(name, '')), patienceMs);
  try {
    const end = await Promise.race([ended, killed.promise, timer.promise]);
    return end === undefined ? { code: undefined, out: '', err: '', interrupted } : { ...end, interrupted };
  } finally {
    clearTimeout(timeout);
    stopping.abort(new Error('The program is over.'));
  }
}
