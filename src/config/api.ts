import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { lagConfig, metricsConfig } from './metrics.ts';
import { readPaidConfig } from './payments.ts';
import {
  byteSize,
  durationMs,
  type Environment,
  elasticsearchVariables,
  indexPrefix,
  optionalLogLevel,
  optionalText,
  parseSettings,
  postgresUrl,
  wholeNumber,
} from './settings.ts';
import { tracingConfig } from './tracing.ts';

const second = 1_000;
const minute = 60 * second;

const flag = optionalText.pipe(
  z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .default('false')
    .transform((text) => text === 'true'),
);

const originsHelp = 'must be origins separated by commas, such as https://app.example.com,http://localhost:5173, or *';

const origins = optionalText
  .transform((text) => (text ?? '').split(',').map((origin) => origin.trim()))
  .transform((list) => list.filter((origin) => origin !== ''))
  .pipe(
    z.array(
      z.string().refine((origin) => origin === '*' || URL.parse(origin)?.origin === origin, { error: originsHelp }),
    ),
  );

/** Whoever knows it or guesses it chooses which indices are searched, so it is made of nothing else that is known. */
const cursorSecret = z
  .string({
    error: 'is not set; production needs one that all API processes share, made with `openssl rand -hex 32`',
  })
  .min(16, { error: 'must be at least 16 characters long; make one with `openssl rand -hex 32`' });

/** What cursors are sealed with where no secret is given: known to this process alone, and gone with it. */
const ownCursorSecret = randomBytes(32).toString('hex');

const environment = z.object({
  HOST: optionalText.pipe(z.string().default('127.0.0.1')),
  /** 0 takes any free port; the log says which. */
  PORT: wholeNumber({ min: 0, max: 65_535, default: 3000 }),
  DATABASE_URL: postgresUrl,
  ...elasticsearchVariables,
  ELASTICSEARCH_MAX_CONNECTIONS: wholeNumber({ min: 1, max: 1_000, default: 64 }),
  SEARCH_RESPONSE_MAX_BYTES: byteSize({ min: 65_536, max: 268_435_456, default: 33_554_432 }),
  INDEX_PREFIX: indexPrefix,
  /** Both passes of a search together. */
  SEARCH_TIMEOUT_MS: durationMs({ min: 50, max: 5 * second, default: 3 * second }),
  /** Between two pages of a walk; each holds open what Elasticsearch would otherwise clean up. */
  CURSOR_KEEP_ALIVE_MS: durationMs({ min: second, max: 60 * minute, default: 5 * minute }),
  /** Of one account in one process; each is a shard's search context for every kind that it asks for. */
  CURSOR_WALKS_MAX: wholeNumber({ min: 1, max: 10_000, default: 100 }),
  CURSOR_SECRET: optionalText.pipe(cursorSecret.optional()),
  POSTGRES_POOL_SIZE: wholeNumber({ min: 1, max: 200, default: 10 }),
  /** Apart from the entities' connections: a slow table must not keep anyone from having his key looked at. */
  POSTGRES_ACCESS_POOL_SIZE: wholeNumber({ min: 1, max: 200, default: 8 }),
  POSTGRES_CONNECT_TIMEOUT_MS: durationMs({ min: 50, max: 30 * second, default: 2 * second }),
  POSTGRES_STATEMENT_TIMEOUT_MS: durationMs({ min: 50, max: minute, default: 5 * second }),
  POSTGRES_IDLE_TIMEOUT_MS: durationMs({ min: 100, max: 60 * minute, default: minute }),
  KEY_LOOKUP_TIMEOUT_MS: durationMs({ min: 50, max: 10 * second, default: 2 * second }),
  /** A revoked key must stop working within 5 s wherever Postgres answers: no process holds one longer, and asking takes time too. */
  KEY_CACHE_MS: durationMs({ min: 0, max: 5 * second, default: 4_500 }),
  KEY_CACHE_SIZE: wholeNumber({ min: 1, max: 1_000_000, default: 10_000 }),
  /** Covers a restart of Postgres; a process that alone has lost it believes a revoked key for so long. */
  KEY_STALE_MS: durationMs({ min: 0, max: 10 * minute, default: 30 * second }),
  KEY_USED_EVERY_MS: durationMs({ min: minute, max: 24 * 60 * minute, default: minute }),
  LIMITS_TIMEOUT_MS: durationMs({ min: 50, max: 10 * second, default: second }),
  LIMITS_FLUSH_MS: durationMs({ min: 10, max: minute, default: second }),
  BAD_KEYS_PER_MINUTE: wholeNumber({ min: 0, max: 1_000_000, default: 20 }),
  BAD_KEY_DELAY_MS: durationMs({ min: 0, max: 5 * second, default: second }),
  BAD_KEYS_HELD: wholeNumber({ min: 0, max: 100_000, default: 200 }),
  BODY_MAX_BYTES: byteSize({ min: 1_024, max: 4_194_304, default: 262_144 }),
  HEALTH_HOLD_MS: durationMs({ min: 0, max: minute, default: second }),
  HEALTH_QUICK_TIMEOUT_MS: durationMs({ min: 50, max: 2 * second, default: 1_800 }),
  HEALTH_DETAILED_TIMEOUT_MS: durationMs({ min: 50, max: 10 * second, default: 8 * second }),
  HEADERS_TIMEOUT_MS: durationMs({ min: 100, max: 2 * minute, default: 10 * second }),
  REQUEST_TIMEOUT_MS: durationMs({ min: 100, max: 10 * minute, default: 30 * second }),
  /** From a request to the last byte of its answer, however slowly it is read. */
  ANSWER_TIMEOUT_MS: durationMs({ min: 100, max: 60 * minute, default: 2 * minute }),
  UNREAD_MAX_BYTES: byteSize({ min: 1_048_576, max: 17_179_869_184, default: 67_108_864 }),
  /** Longer than load balancers usually keep idle connections: they close first, and no request meets our close. */
  KEEP_ALIVE_TIMEOUT_MS: durationMs({ min: 100, max: 10 * minute, default: 65 * second }),
  MAX_CONNECTIONS: wholeNumber({ min: 1, max: 1_000_000, default: 5_000 }),
  REQUESTS_MAX: wholeNumber({ min: 1, max: 1_000_000, default: 1_000 }),
  /** As many as there are connections to Elasticsearch: more would only wait for one, and longer. */
  SEARCHES_MAX: wholeNumber({ min: 1, max: 100_000, default: 64 }),
  RECORDS_MAX: wholeNumber({ min: 1, max: 100_000, default: 64 }),
  WAITING_MAX: wholeNumber({ min: 0, max: 100_000, default: 512 }),
  WAITING_TIMEOUT_MS: durationMs({ min: 0, max: 5 * second, default: 2 * second }),
  WAITING_STALL_MS: durationMs({ min: 10, max: 5 * second, default: 250 }),
  DRAIN_TIMEOUT_MS: durationMs({ min: 0, max: 2 * minute, default: 10 * second }),
  /** How long idle connections stay open while draining, for requests that are already on their way. */
  DRAIN_GRACE_MS: durationMs({ min: 0, max: 30 * second, default: 500 }),
  /** How many proxies stand in front of this process; X-Forwarded-For is believed that many steps back. */
  TRUST_PROXY: wholeNumber({ min: 0, max: 10, default: 0 }),
  CORS_ORIGINS: origins,
  LOG_LEVEL: optionalLogLevel,
  LOG_QUERIES: flag,
});

/** The API process's settings, grouped by what they are for. All times are in milliseconds. */
export type Config = ReturnType<typeof readConfig>;

const productionEnvironment = environment.extend({ CURSOR_SECRET: optionalText.pipe(cursorSecret) });

/** Reads the environment. Throws `SettingsError`, which names all that is missing or wrong at once. */
export function readConfig(env: Environment) {
  const given = parseSettings(env.NODE_ENV === 'production' ? productionEnvironment : environment, env);
  return {
    listen: { host: given.HOST, port: given.PORT },
    postgres: {
      url: given.DATABASE_URL,
      maxConnections: given.POSTGRES_POOL_SIZE,
      accessConnections: given.POSTGRES_ACCESS_POOL_SIZE,
      connectTimeoutMs: given.POSTGRES_CONNECT_TIMEOUT_MS,
      statementTimeoutMs: given.POSTGRES_STATEMENT_TIMEOUT_MS,
      idleTimeoutMs: given.POSTGRES_IDLE_TIMEOUT_MS,
    },
    elasticsearch: {
      url: given.ELASTICSEARCH_URL,
      apiKey: given.ELASTICSEARCH_API_KEY,
      caFile: given.ELASTICSEARCH_CA_FILE,
      maxConnections: given.ELASTICSEARCH_MAX_CONNECTIONS,
      maxResponseBytes: given.SEARCH_RESPONSE_MAX_BYTES,
    },
    search: {
      indexPrefix: given.INDEX_PREFIX,
      timeoutMs: given.SEARCH_TIMEOUT_MS,
      cursorKeepAliveMs: given.CURSOR_KEEP_ALIVE_MS,
      cursorWalksMax: given.CURSOR_WALKS_MAX,
      cursorSecret: given.CURSOR_SECRET ?? ownCursorSecret,
      /** Whether other processes, and this one after a new start, take the cursors that it gives. */
      sharedCursors: given.CURSOR_SECRET !== undefined,
    },
    keys: {
      lookupTimeoutMs: given.KEY_LOOKUP_TIMEOUT_MS,
      cacheMs: given.KEY_CACHE_MS,
      cacheSize: given.KEY_CACHE_SIZE,
      staleMs: given.KEY_STALE_MS,
      usedEveryMs: given.KEY_USED_EVERY_MS,
    },
    limits: { timeoutMs: given.LIMITS_TIMEOUT_MS, flushMs: given.LIMITS_FLUSH_MS },
    badKeys: {
      freePerMinute: given.BAD_KEYS_PER_MINUTE,
      delayMs: given.BAD_KEY_DELAY_MS,
      heldMax: given.BAD_KEYS_HELD,
    },
    health: {
      holdMs: given.HEALTH_HOLD_MS,
      quickTimeoutMs: given.HEALTH_QUICK_TIMEOUT_MS,
      detailedTimeoutMs: given.HEALTH_DETAILED_TIMEOUT_MS,
    },
    lag: lagConfig(env),
    http: {
      headersTimeoutMs: given.HEADERS_TIMEOUT_MS,
      requestTimeoutMs: given.REQUEST_TIMEOUT_MS,
      bodyMaxBytes: given.BODY_MAX_BYTES,
      answerTimeoutMs: given.ANSWER_TIMEOUT_MS,
      unreadMaxBytes: given.UNREAD_MAX_BYTES,
      keepAliveTimeoutMs: given.KEEP_ALIVE_TIMEOUT_MS,
      maxConnections: given.MAX_CONNECTIONS,
      proxyHops: given.TRUST_PROXY,
      corsOrigins: given.CORS_ORIGINS,
    },
    load: {
      requestsMax: given.REQUESTS_MAX,
      searchesMax: given.SEARCHES_MAX,
      recordsMax: given.RECORDS_MAX,
      waitingMax: given.WAITING_MAX,
      waitMs: given.WAITING_TIMEOUT_MS,
      stallMs: given.WAITING_STALL_MS,
    },
    drain: { timeoutMs: given.DRAIN_TIMEOUT_MS, graceMs: given.DRAIN_GRACE_MS },
    paid: readPaidConfig(env),
    metrics: metricsConfig(env),
    tracing: tracingConfig(env),
    log: { level: given.LOG_LEVEL ?? 'info', queries: given.LOG_QUERIES },
  } as const;
}
