import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { minuteMs, secondMs } from '../lib/durations.ts';
import { readConsoleConfig } from './console.ts';
import { readEmbeddings } from './embeddings.ts';
import { databaseVariables, elasticsearchVariables, logVariables } from './engines.ts';
import { lagLimits, metricsConfig } from './metrics.ts';
import { readPaidConfig, readPublicUrl } from './payments.ts';
import {
  durationMs,
  type Environment,
  flag,
  oneOf,
  optionalText,
  parseSettings,
  textOr,
  wholeNumber,
} from './settings.ts';

const mebibyte = 1_048_576;

const originsHelp = 'must be origins separated by commas, such as https://app.example.com,http://localhost:5173, or *';

const origins = optionalText
  .transform((text) => (text ?? '').split(',').map((origin) => origin.trim()))
  .transform((list) => list.filter((origin) => origin !== ''))
  .pipe(
    z.array(
      z.string().refine((origin) => origin === '*' || URL.parse(origin)?.origin === origin, { error: originsHelp }),
    ),
  );

/** A caller who knows the secret could choose which indices are searched, so it must not be derived from anything else. */
const cursorSecret = z
  .string({ error: 'is not set; production needs one that all API processes share, made with `openssl rand -hex 32`' })
  .min(16, { error: 'must be at least 16 characters long; make one with `openssl rand -hex 32`' });

/** Encrypts cursors if no secret is given. It exists in this process only. */
const ownCursorSecret = randomBytes(32).toString('hex');

const cursorVariable = {
  allowed: 'at least 16 characters',
  default: 'random at each start; required in production',
  description: 'Encrypts [cursors](../install.md#the-cursor-secret). All API processes need the same secret.',
} as const;

export const apiVariables = z.object({
  HOST: textOr('127.0.0.1').describe('Address to listen on.'),
  PORT: wholeNumber({ min: 0, max: 65_535, default: 3000 }).describe(
    'Port to listen on; `0` picks a free one, which the log names.',
  ),
  NODE_ENV: optionalText.meta({
    allowed: 'text',
    default: 'none',
    description:
      'With `production`, `CURSOR_SECRET` is required, and with paid search also `X402_NETWORK` and `PUBLIC_URL`. A testnet causes a warning.',
  }),
  TRUST_PROXY: wholeNumber({ min: 0, max: 10, default: 0 }).describe(
    'Number of proxies in front of the API. This many entries of `X-Forwarded-For` are trusted.',
  ),
  CORS_ORIGINS: origins.meta({
    allowed: 'origins separated by commas, or `*`',
    default: 'none',
    description: 'Browser origins that may call the API.',
  }),
  CURSOR_SECRET: optionalText.pipe(cursorSecret.optional()).meta(cursorVariable),
  LOG_QUERIES: flag(false).describe('Adds search texts to the access log.'),
  SEARCH_TIMEOUT: durationMs({ min: 50, max: 5 * secondMs, default: 3 * secondMs }).describe(
    'Time limit of one search, including both of its requests to Elasticsearch.',
  ),
  POSTGRES_POOL_SIZE: wholeNumber({ min: 1, max: 200, default: 10 }).describe(
    'Connections in each pool. There is a pool for entities, one for keys and quotas, and with paid search one for payments. Two more connections serve health and index lag.',
  ),
  POSTGRES_POOLER: oneOf(['transaction']).describe(
    '`transaction` if `DATABASE_URL` is the address of a [pooler in transaction mode](../install.md#connection-poolers), such as PgBouncer.',
  ),
  KEY_STALE: durationMs({ min: 0, max: 10 * minuteMs, default: 30 * secondMs }).describe(
    'Extra time for which a known key is accepted while Postgres does not answer. [Revocations](../runbook.md#keys-accounts-and-plans) can take effect this much later.',
  ),
  REQUESTS_MAX: wholeNumber({ min: 1, max: 1_000_000, default: 1_000 }).describe(
    'Maximum number of requests in progress per process, except health checks. [Each class of callers](admission.md) has a share; more are 503 `overloaded`.',
  ),
  SEARCHES_MAX: wholeNumber({ min: 1, max: 100_000, default: 64 }).describe(
    'Maximum number of concurrent requests to Elasticsearch, and of connections to each node.',
  ),
  RECORDS_MAX: wholeNumber({ min: 1, max: 100_000, default: 64 }).describe(
    'Maximum number of concurrent requests that need Postgres: records, bulk, removals, usage and account keys.',
  ),
  MAX_CONNECTIONS: wholeNumber({ min: 1, max: 1_000_000, default: 5_000 }).describe(
    'Maximum number of client connections. More are closed at once.',
  ),
  KEEP_ALIVE_TIMEOUT: durationMs({ min: 100, max: 10 * minuteMs, default: 65 * secondMs }).describe(
    "Time for which an idle connection stays open. Make it longer than the proxy's limit, so that the proxy closes first.",
  ),
  DRAIN_TIMEOUT: durationMs({ min: 0, max: 2 * minuteMs, default: 10 * secondMs }).describe(
    'Time that requests have to finish after SIGTERM.',
  ),
});

const environment = z.object({
  ...databaseVariables,
  ...elasticsearchVariables,
  ...logVariables,
  ...apiVariables.shape,
});
const productionEnvironment = environment.extend({ CURSOR_SECRET: optionalText.pipe(cursorSecret) });

type GroupsReadonly<Groups> = { readonly [Group in keyof Groups]: Readonly<Groups[Group]> };

/** The API process's settings and limits, grouped by what they are for. All times are in milliseconds. */
export type Config = GroupsReadonly<ReturnType<typeof readConfig>>;

/** Reads the environment. Throws `SettingsError`, which names every problem. */
export function readConfig(env: Environment) {
  const given = parseSettings(env.NODE_ENV === 'production' ? productionEnvironment : environment, env);
  return {
    listen: { host: given.HOST, port: given.PORT },
    postgres: {
      url: given.DATABASE_URL,
      maxConnections: given.POSTGRES_POOL_SIZE,
      connectTimeoutMs: 2 * secondMs,
      /** A bulk request whose statement takes longer is a partial failure. */
      statementTimeoutMs: 5 * secondMs,
      idleTimeoutMs: minuteMs,
      poolsTransactions: given.POSTGRES_POOLER === 'transaction',
    },
    elasticsearch: {
      url: given.ELASTICSEARCH_URL,
      apiKey: given.ELASTICSEARCH_API_KEY,
      caFile: given.ELASTICSEARCH_CA_FILE,
      /** With fewer connections, searches would wait for one; more would not be used. */
      maxConnections: given.SEARCHES_MAX,
      maxResponseBytes: 32 * mebibyte,
    },
    search: {
      indexPrefix: given.INDEX_PREFIX,
      timeoutMs: given.SEARCH_TIMEOUT,
      /** The longest time between two pages, for which Elasticsearch keeps the search context. */
      cursorKeepAliveMs: 5 * minuteMs,
      /** For each account and process. A cursor holds a search context in Elasticsearch for every kind it covers. */
      openCursorsMax: 100,
      cursorSecret: given.CURSOR_SECRET ?? ownCursorSecret,
      /** True if other processes, and this one after a restart, accept its cursors. */
      sharedCursors: given.CURSOR_SECRET !== undefined,
    },
    keys: {
      lookupTimeoutMs: 2 * secondMs,
      /** A revoked key stops working within 5 s while Postgres answers: this time plus the lookup's timeout above. */
      cacheMs: 2_500,
      cacheSize: 10_000,
      staleMs: given.KEY_STALE,
      usedEveryMs: minuteMs,
    },
    /** After the timeout, the process counts by itself for a second. Other counts are collected and flushed. */
    limits: { timeoutMs: secondMs, flushMs: secondMs },
    health: { holdMs: secondMs, quickTimeoutMs: 1_800, detailedTimeoutMs: 8 * secondMs },
    lag: lagLimits,
    http: {
      headersTimeoutMs: 10 * secondMs,
      requestTimeoutMs: 30 * secondMs,
      /**
       * Memory for request bodies that are still arriving, for each class of callers. Beyond it, the oldest requests
       * are cut off.
       */
      bodiesMaxBytes: 16 * mebibyte,
      /**
       * The time from a request to the last byte of its answer, however slowly the client reads. Longer than the
       * longest payment.
       */
      answerTimeoutMs: 2 * minuteMs,
      /**
       * Memory for answers that clients have not read yet. One address may use a quarter of it. Beyond either limit,
       * the oldest answers are cut off.
       */
      unreadMaxBytes: 64 * mebibyte,
      keepAliveTimeoutMs: given.KEEP_ALIVE_TIMEOUT,
      maxConnections: given.MAX_CONNECTIONS,
      proxyHops: given.TRUST_PROXY,
      corsOrigins: given.CORS_ORIGINS,
    },
    load: {
      requestsMax: given.REQUESTS_MAX,
      searchesMax: given.SEARCHES_MAX,
      recordsMax: given.RECORDS_MAX,
      /** Limits the requests that wait for a slot, and their time while slots are being released. */
      waitingMax: 512,
      waitMs: 2 * secondMs,
      /** If no slot is released for this long, the engine is considered hung, and waiting requests are refused. */
      stallMs: 250,
    },
    /** Idle connections stay open for the grace period, for requests that are already on their way. */
    drain: { timeoutMs: given.DRAIN_TIMEOUT, graceMs: 500 },
    paid: readPaidConfig(env),
    console: readConsoleConfig(env),
    address: { publicUrl: readPublicUrl(env) },
    embeddings: readEmbeddings(env),
    metrics: metricsConfig(env),
    log: { level: given.LOG_LEVEL ?? 'info', queries: given.LOG_QUERIES },
  };
}
