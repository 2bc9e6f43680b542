import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import closeWithGrace from 'close-with-grace';
import { type Logger, pino } from 'pino';
import { readVocabulary } from '../mappings/vocabulary.ts';
import { createApp } from './app.ts';
import { createElasticsearchClient, createSearchPort } from './clients/elasticsearch.ts';
import { createDatabaseProbe } from './clients/health.ts';
import { cachedKeys } from './clients/key-cache.ts';
import { createKeyDirectory } from './clients/keys.ts';
import { createCallCounter } from './clients/limits.ts';
import { createPool } from './clients/postgres.ts';
import { createEntityStore } from './clients/records.ts';
import { createKeyUse } from './clients/touches.ts';
import { type Config, readConfig } from './config.ts';
import type { Clock, Deps } from './deps.ts';
import { createRooms } from './http/room.ts';
import { createHttpServer } from './http/server.ts';
import { causeText, createLogger } from './log.ts';
import { connectPaid } from './paid.ts';
import { SettingsError } from './settings.ts';
import { drainable } from './shutdown.ts';

/** What is left for closing the clients after the server's own time-out, in milliseconds. */
const closeClientsMs = 3_000;
/** What is left of the drain for answers that say that an outcome is unknown. */
const answerMs = 2_000;

const clock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };

/** Ends the process before it began: the reason is for people, and one line each. */
function refuseToStart(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

function configOrExit(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (error instanceof SettingsError) refuseToStart(error.message);
    throw error;
  }
}

/** Keys and limits, on connections of their own. */
function connectAccess(config: Config, log: Logger, lost: (error: Error) => void) {
  const { postgres, keys, limits } = config;
  const pool = createPool(
    { ...postgres, applicationName: 'entity-search access', maxConnections: postgres.accessConnections },
    lost,
  );
  const calls = createCallCounter(pool, { ...limits, accountsMax: keys.cacheSize }, clock, (cause) =>
    log.warn({ cause: causeText(cause) }, 'calls could not be counted in postgres'),
  );
  const touching = { everyMs: keys.usedEveryMs, flushMs: limits.flushMs, keysMax: keys.cacheSize };
  const keyUse = createKeyUse(pool, touching, clock, (cause) =>
    log.warn({ cause: causeText(cause) }, 'the use of keys could not be noted in postgres'),
  );
  const directory = cachedKeys(createKeyDirectory(pool, keys.lookupTimeoutMs), keys, clock);
  const close = async () => {
    await Promise.all([calls.close(), keyUse.close()]);
    await pool.end();
  };
  return { keys: directory, keyUse, calls, close };
}

/** Everything that talks to the outside. Nothing is opened until it is used, so the engines may be down now. */
function connect(config: Config, log: Logger) {
  const lost = (error: Error) => log.warn({ cause: causeText(error) }, 'an idle connection to postgres broke');
  const pool = createPool({ ...config.postgres, applicationName: 'entity-search api' }, lost);
  const probeMs = config.health.quickTimeoutMs;
  const probePool = createPool(
    {
      ...config.postgres,
      applicationName: 'entity-search health',
      maxConnections: 1,
      connectTimeoutMs: Math.min(probeMs, config.postgres.connectTimeoutMs),
    },
    lost,
  );
  const access = connectAccess(config, log, lost);
  const elasticsearch = createElasticsearchClient(config.elasticsearch);
  const paid = config.paid === null ? null : connectPaid(config.paid, config.postgres, clock, log);
  const deps: Deps = {
    config,
    log,
    clock,
    keys: access.keys,
    keyUse: access.keyUse,
    calls: access.calls,
    entities: createEntityStore(pool, config.postgres.statementTimeoutMs),
    search: createSearchPort(elasticsearch),
    vocabulary: readVocabulary(),
    database: createDatabaseProbe(probePool, probeMs, (cause) =>
      log.warn({ cause: causeText(cause) }, 'postgres does not answer'),
    ),
    rooms: createRooms(config.load),
    paid: paid?.search ?? null,
  };
  const close = async () => {
    await paid?.close();
    await Promise.all([access.close(), pool.end(), probePool.end(), elasticsearch.close()]);
  };
  return { deps, paid, close };
}

async function main(): Promise<void> {
  const config = configOrExit();
  // Lines are written at once: the last ones of a process that ends are those that matter.
  const log = createLogger(config.log.level, pino.destination({ dest: 1, sync: true }));
  const { deps, paid, close } = connect(config, log);
  const contradiction = await paid?.check();
  if (contradiction) refuseToStart(contradiction);
  if (config.paid?.warning !== undefined) log.warn(config.paid.warning);
  const server = createHttpServer(createApp(deps).callback(), config.http, log);
  const drain = drainable(server);

  // Before anyone can know of this process, so that no signal ends it unprepared.
  closeWithGrace(
    {
      delay: config.drain.timeoutMs + closeClientsMs,
      logger: { error: (message) => log.error({ message }, 'shutdown') },
    },
    async ({ signal, err }) => {
      if (err !== undefined) log.fatal({ err }, 'uncaught error');
      log.info({ signal }, 'draining');
      // Payments under way are answered before connections are cut.
      const hurry = setTimeout(() => paid?.hurry(), Math.max(0, config.drain.timeoutMs - answerMs));
      const cut = await drain(config.drain);
      clearTimeout(hurry);
      await close();
      log.info({ cut }, 'stopped');
    },
  );

  const { host, port } = config.listen;
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    refuseToStart(`Can't listen on ${host}:${port}: ${String(error)}. Set HOST and PORT to a free address.`);
  }
  const address = server.address() as AddressInfo;
  log.info({ host: address.address, port: address.port }, 'listening');
  paid?.start();
}

await main();
