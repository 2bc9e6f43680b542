import { z } from 'zod';
import { supportedServers, testedServers } from '../../src/schema/server-version.ts';
import { logStep, type PrintLine } from '../lib/log-step.ts';
import { openState, type State } from '../lib/state.ts';
import { chooseEngine, type EngineChoice, type EngineSource } from './choice.ts';
import { dockerAnswers, startDockerElasticsearch, startDockerPostgres } from './docker.ts';
import { locateBuild } from './elasticsearch/build.ts';
import { startElasticsearch } from './elasticsearch/elasticsearch.ts';
import { type ElasticsearchVersion, elasticsearchVersions, newestElasticsearch } from './elasticsearch/versions.ts';
import { startPostgres } from './postgres/postgres.ts';
import { findPostgres, newestPostgres, type PostgresVersion } from './postgres/versions.ts';
import { findTools, type Tools } from './preflight.ts';
import { type RunningEngine, restartOnExit } from './restart-on-exit.ts';

export interface EngineOptions {
  /** The folder of their data, passwords, ports and logs. It is created if it is missing. */
  readonly state: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly printLine: PrintLine;
  /** False for tests: faster, but a crash of the machine may lose the data. Default true. */
  readonly fsync?: boolean;
  readonly heapMb?: number;
  /** True if an engine that ends unexpectedly is started again. Default false. */
  readonly keep?: boolean;
  /** Aborts a start: stops everything that was started, and rejects. */
  readonly signal?: AbortSignal;
}

interface Engine {
  readonly url: string;
  readonly source: EngineSource;
}

export interface Engines {
  readonly postgres: Engine;
  readonly elasticsearch: Engine;
  /** Stops the engines that were started here, never those of the environment, and releases the state directory. */
  stop(): Promise<void>;
}

const emptyIsUnset = z
  .string()
  .optional()
  .transform((value) => (value === '' ? undefined : value));

const envSchema = z.object({
  DATABASE_URL: emptyIsUnset.pipe(z.url({ protocol: /^postgres(ql)?$/ }).optional()),
  ELASTICSEARCH_URL: emptyIsUnset.pipe(z.url({ protocol: /^https?$/ }).optional()),
  POSTGRES_VERSION: emptyIsUnset
    .transform((text) => (text === undefined ? newestPostgres : Number(text)))
    .pipe(z.literal(testedServers)),
  ELASTICSEARCH_VERSION: emptyIsUnset.pipe(z.literal(elasticsearchVersions).default(newestElasticsearch)),
  ES_JAVA_OPTS: emptyIsUnset,
});

/**
 * Starts Postgres (18, or POSTGRES_VERSION) and Elasticsearch (9, or ELASTICSEARCH_VERSION), at the same time, each
 * from the first available source: the environment's address, Docker, the local stack. Throws `MissingToolError` or
 * `StateInUseError`, each with one sentence for people, before anything is started. After an error, nothing is left
 * running.
 */
export async function startEngines(options: EngineOptions): Promise<Engines> {
  const env = parseEnv(options.env);
  const ours = env.DATABASE_URL === undefined || env.ELASTICSEARCH_URL === undefined;
  const docker = ours && (await dockerAnswers(options.env));
  const choice = {
    postgres: chooseEngine(env.DATABASE_URL, docker),
    elasticsearch: chooseEngine(env.ELASTICSEARCH_URL, docker),
  };
  options.printLine(`Postgres: ${described(choice.postgres)}; Elasticsearch: ${described(choice.elasticsearch)}`);
  const tools =
    choice.elasticsearch.source === 'embedded'
      ? findTools(options.env, { maven: !locateBuild(env.ELASTICSEARCH_VERSION).ready })
      : undefined;
  options.signal?.throwIfAborted();
  const state = ours ? openState(options.state) : undefined;
  const abort = new AbortController();
  const signal = options.signal === undefined ? abort.signal : AbortSignal.any([options.signal, abort.signal]);
  const javaOptions = env.ES_JAVA_OPTS?.split(/\s+/) ?? [];
  const starts = [
    startOnePostgres(choice.postgres, state, { ...options, version: env.POSTGRES_VERSION, signal }),
    startOneElasticsearch(choice.elasticsearch, state, {
      ...options,
      version: env.ELASTICSEARCH_VERSION,
      signal,
      tools,
      javaOptions,
    }),
  ] as const;
  try {
    const [postgres, elasticsearch] = await Promise.all(starts);
    return {
      postgres: { url: postgres.url, source: choice.postgres.source },
      elasticsearch: { url: elasticsearch.url, source: choice.elasticsearch.source },
      stop: once(() => stopAll([postgres, elasticsearch], state)),
    };
  } catch (error) {
    abort.abort(error);
    const settled = await Promise.allSettled(starts);
    await stopAll(
      settled.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : [])),
      state,
    );
    throw error;
  }
}

function parseEnv(env: EngineOptions['env']): z.infer<typeof envSchema> {
  const parsed = envSchema.safeParse(env);
  if (parsed.success) return parsed.data;
  const names = parsed.error.issues.map((issue) => issue.path.join('.')).join(' and ');
  throw new Error(
    `${names} in the environment can't be used: give postgres://…, http://…, a version of Postgres of ${supportedServers} and of Elasticsearch of ${elasticsearchVersions.join(' or ')}, or unset it.`,
  );
}

function described(choice: EngineChoice): string {
  switch (choice.source) {
    case 'environment':
      return 'from the environment';
    case 'docker':
      return 'in Docker';
    case 'embedded':
      return 'embedded on 127.0.0.1';
    default:
      return choice satisfies never;
  }
}

async function startOnePostgres(
  choice: EngineChoice,
  state: State | undefined,
  options: EngineOptions & { readonly version: PostgresVersion },
): Promise<RunningEngine> {
  if (choice.source === 'environment') return { url: choice.url, stop: async () => undefined };
  const needed = stateOf(state);
  const { fsync = true, version, printLine } = options;
  const start = async (signal: AbortSignal | undefined): Promise<RunningEngine> => {
    if (choice.source === 'docker') return startDockerPostgres(needed, { fsync, version });
    const folder = await findPostgres(version, { env: options.env, printLine, signal });
    return startPostgres(needed, { fsync, signal, programs: { version, folder } });
  };
  return startEngine('Postgres', options, (signal) => logStep(printLine, 'Postgres: starting', () => start(signal)));
}

async function startOneElasticsearch(
  choice: EngineChoice,
  state: State | undefined,
  options: EngineOptions & {
    readonly version: ElasticsearchVersion;
    readonly tools: Tools | undefined;
    readonly javaOptions: readonly string[];
  },
): Promise<RunningEngine> {
  if (choice.source === 'environment') return { url: choice.url, stop: async () => undefined };
  const { tools, printLine, javaOptions, version, heapMb = 512 } = options;
  const needed = stateOf(state);
  if (choice.source === 'docker') {
    return logStep(printLine, 'Elasticsearch: starting', () => startDockerElasticsearch(needed, { heapMb, version }));
  }
  if (tools === undefined) throw new Error('The local Elasticsearch was chosen without looking for its tools.');
  return startEngine('Elasticsearch', options, (signal) =>
    startElasticsearch(needed, { tools, version, heapMb, javaOptions, printLine, signal }),
  );
}

function startEngine(
  name: string,
  { keep = false, printLine, signal }: EngineOptions,
  start: (signal: AbortSignal | undefined) => Promise<RunningEngine>,
): Promise<RunningEngine> {
  return keep ? restartOnExit(name, start, { printLine, signal }) : start(signal);
}

function stateOf(state: State | undefined): State {
  if (state === undefined) throw new Error('An engine of ours was chosen without a state directory.');
  return state;
}

async function stopAll(engines: readonly RunningEngine[], state: State | undefined): Promise<void> {
  try {
    const stops = await Promise.allSettled(engines.map((engine) => engine.stop()));
    const failed = stops.flatMap((stop) => (stop.status === 'rejected' ? [stop.reason] : []));
    if (failed.length > 0) throw new AggregateError(failed, 'An engine could not be stopped in order.');
  } finally {
    state?.release();
  }
}

function once(action: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= action();
    return running;
  };
}
