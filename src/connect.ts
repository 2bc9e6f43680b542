import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Config } from './config/api.ts';
import { readVocabulary } from './config/vocabulary.ts';
import { connectAccount } from './connect-account.ts';
import { connectEmbeddings, type EmbeddingService } from './connect-embeddings.ts';
import type { PaymentService } from './connect-payments.ts';
import { consoleFolder, readPages } from './console-files.ts';
import { createElasticsearchClient } from './elasticsearch/client.ts';
import { createSearchPort } from './elasticsearch/search-port.ts';
import { createOpenCursors, openCursorsSettings } from './http/search/open-cursors.ts';
import { createLimiters } from './http/server/limiters.ts';
import { causeText } from './lib/log.ts';
import { createApiMetrics } from './metrics/api.ts';
import { createEngineMetrics, type EngineMetrics } from './metrics/engines.ts';
import type { Clock, Deps, Pages, PlanOffer } from './ports.ts';
import { createCallCounter } from './postgres/access/call-counts.ts';
import { cacheKeys } from './postgres/access/key-cache.ts';
import { createKeyUsage } from './postgres/access/key-last-used.ts';
import { createKeyDirectory } from './postgres/access/keys.ts';
import { createQuotaStore } from './postgres/access/quotas.ts';
import { createPlanOffer } from './postgres/account/plan-offer.ts';
import { createDatabaseProbe } from './postgres/health.ts';
import { liveIndexLag, pollLag } from './postgres/index-lag.ts';
import { createPool, type PostgresSettings } from './postgres/pool.ts';
import { createEntityStore } from './postgres/records.ts';
import { phrasesOf } from './search/meaning/term-phrases.ts';
import type { SearchPort, SendSearch } from './search/ports.ts';
import type { Knowledge } from './search/questions/knowledge.ts';
import { createKnowledgeSource, type KnowledgeSource, loadKnowledge } from './search/questions/knowledge-source.ts';
import type { Vocabulary } from './search/vocabulary/vocabulary.ts';

/** The clients of all other systems. */
export interface Connected {
  readonly deps: Deps;
  /** Null if searches are not sold. */
  readonly paid: PaymentService | null;
  /** Null if vectors are off. */
  readonly embeddings: EmbeddingService | null;
  /** Starts the background work. */
  start(): void;
  close(): Promise<void>;
}

/** The dependencies that all clients of a process share. */
interface Around {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly engines: EngineMetrics;
}

/** The code of the paid search, which only installations that sell searches load. */
export type PaymentModule = typeof import('./connect-payments.ts');

/** No connection is opened until it is used, so the engines may be down now. */
export function connect(
  config: Config,
  clock: Clock,
  log: Logger,
  registry: Registry,
  payments: PaymentModule | null,
): Connected {
  const metrics = createApiMetrics(registry);
  const around: Around = { config, clock, log, engines: createEngineMetrics(registry) };
  const pool = openPool(around, 'entities');
  const probeMs = config.health.quickTimeoutMs;
  const probePool = openPool(around, 'health', {
    connectTimeoutMs: Math.min(probeMs, config.postgres.connectTimeoutMs),
  });
  const access = connectAccess(around);
  const elasticsearch = createElasticsearchClient(config.elasticsearch);
  around.engines.watchElasticsearch(elasticsearch);
  const lagPool = openPool(around, 'lag');
  const lagPoll = pollLag(lagPool, config.lag, clock, (cause) =>
    log.warn({ cause: causeText(cause) }, 'the lag of the indices could not be read'),
  );
  const lag = liveIndexLag(lagPoll.latest);
  metrics.watchLag(lag);
  const paid =
    config.paid === null || payments === null
      ? null
      : payments.connectPaid(config.paid, openPool(around, 'payments'), config.postgres, clock, log);
  if (paid !== null) metrics.watchLedger(paid.figures);
  const planOffer = connectPlanOffer(around, access.pool);
  const search = createSearchPort(elasticsearch);
  const vocabulary = readVocabulary();
  const knowledge = connectKnowledge(around, search, vocabulary);
  const embeddings =
    config.embeddings && connectEmbeddings(config.embeddings, clock, log, registry, phrasesOf(vocabulary));
  const deps: Deps = {
    config,
    log,
    clock,
    keys: access.keys,
    keyUsage: access.keyUsage,
    quotas: access.quotas,
    calls: access.calls,
    entities: createEntityStore(pool, config.postgres.statementTimeoutMs),
    search,
    embeddings: embeddings?.queries ?? null,
    vocabulary,
    knowledge,
    database: createDatabaseProbe(probePool, probeMs, (cause) =>
      log.warn({ cause: causeText(cause) }, 'postgres does not answer'),
    ),
    limiters: createLimiters(config.load),
    openCursors: createOpenCursors(openCursorsSettings(config.search), clock),
    lag,
    meter: metrics.meter,
    paidSearch: paid === null ? null : metrics.meteredPaidSearch(paid.search),
    pages: config.console === null ? null : loadPages(log),
    planOffer,
    account: config.console && connectAccount(config.console, access.pool),
  };
  return {
    deps,
    paid,
    embeddings,
    start() {
      lagPoll.start();
      embeddings?.start();
      planOffer?.latest();
      knowledge.latest();
      paid?.start();
    },
    async close() {
      await Promise.all([paid?.close(), embeddings?.close(), lagPoll.close()]);
      await Promise.all([access.close(), pool.end(), probePool.end(), lagPool.end(), elasticsearch.close()]);
    },
  };
}

/** The timeout of counts over all documents. */
const knowledgeTimeoutMs = 10_000;

/** Connects the knowledge for understanding questions, which is loaded in the background. */
function connectKnowledge({ config, clock, log }: Around, search: SearchPort, vocabulary: Vocabulary): KnowledgeSource {
  const { indexPrefix } = config.search;
  const send: SendSearch = (request) => search.search({ ...request, timeoutMs: knowledgeTimeoutMs });
  const load = (before: Knowledge | null) => loadKnowledge({ indexPrefix, vocabulary }, send, before);
  return createKnowledgeSource(load, clock, ({ reason, cause }) =>
    log.warn(
      { reason, cause: causeText(cause) },
      'places and topics of the data could not be read from the indices: questions are understood without them',
    ),
  );
}

/** Connects the plan of new accounts. Returns null unless sign-up is open. */
function connectPlanOffer({ config, clock, log }: Around, pool: Pool): PlanOffer | null {
  if (config.console?.signUp !== 'open') return null;
  const limits = { timeoutMs: config.keys.lookupTimeoutMs, clock };
  return createPlanOffer(pool, config.console.signUpPlan, limits, (cause) =>
    log.warn({ cause: causeText(cause) }, 'the plan of new accounts could not be read'),
  );
}

/** Returns the pages. Logs a line if they are missing, because the API also works without them. */
function loadPages(log: Logger): Pages | null {
  const pages = readPages(consoleFolder);
  if (pages === null) log.warn('the pages are not built and will be answered with 503: run "npm run build"');
  return pages;
}

/** Creates a pool whose name appears in Postgres and in the metrics. */
function openPool(
  { config, log, engines }: Around,
  name: keyof ReturnType<typeof poolSizes>,
  limits: Partial<Pick<PostgresSettings, 'connectTimeoutMs'>> = {},
) {
  const applicationName = `entity-search ${name === 'entities' ? 'api' : name}`;
  const pool = createPool(
    { ...config.postgres, applicationName, maxConnections: poolSizes(config)[name], ...limits },
    (error) => log.warn({ cause: causeText(error) }, 'an idle connection to postgres broke'),
  );
  engines.watchPool(name, pool);
  return pool;
}

/** Maximum number of pending counts while Postgres is down, about ten megabytes. */
const countsWaitingMax = 50_000;

/** Connects keys and limits, with separate connections. */
function connectAccess(around: Around) {
  const { config, clock, log } = around;
  const { keys, limits } = config;
  const pool = openPool(around, 'access');
  const quotas = createQuotaStore(pool, { ...limits, accountsMax: keys.cacheSize }, clock, (cause) =>
    log.warn({ cause: causeText(cause) }, 'calls could not be counted in postgres'),
  );
  const usageSettings = { everyMs: keys.usedEveryMs, flushMs: limits.flushMs, keysMax: keys.cacheSize };
  const keyUsage = createKeyUsage(pool, usageSettings, clock, (cause) =>
    log.warn({ cause: causeText(cause) }, 'the use of keys could not be recorded in postgres'),
  );
  const calls = createCallCounter(pool, { flushMs: limits.flushMs, waitingMax: countsWaitingMax }, clock, (cause) =>
    log.warn({ cause: causeText(cause) }, 'calls by endpoint could not be counted in postgres'),
  );
  const directory = cacheKeys(createKeyDirectory(pool, keys.lookupTimeoutMs), keys, clock);
  const close = async () => {
    await Promise.all([quotas.close(), calls.close(), keyUsage.close()]);
    await pool.end();
  };
  return { pool, keys: directory, keyUsage, quotas, calls, close };
}

/** Returns the maximum number of connections of each Postgres pool of an API process. There are no other pools. */
function poolSizes({ postgres, paid }: Pick<Config, 'postgres' | 'paid'>) {
  return {
    entities: postgres.maxConnections,
    access: postgres.maxConnections,
    payments: paid === null ? 0 : postgres.maxConnections,
    // The pools for health and index lag send one query at a time.
    health: 1,
    lag: 1,
  } as const;
}
