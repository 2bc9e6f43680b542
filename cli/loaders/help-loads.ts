import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import type { Limits } from '../../indexer/limits.ts';
import { type HelpedLoad, type JoinDeps, joinLoads } from '../../indexer/load/join.ts';
import type { LoadProgress } from '../../indexer/load/load-parts.ts';
import { reindexConfig } from '../../indexer/reindex/config.ts';
import { createWriteContext } from '../../indexer/write/write-context.ts';
import type { Environment } from '../../src/config/settings.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { connectEngines, connectionsOf } from '../connections.ts';
import { createTerminal, type Terminal } from '../terminal.ts';

interface HelpOptions {
  readonly signal: AbortSignal;
  readonly patienceMs: number;
  /** For people: program, host and process. */
  readonly name: string;
  readonly onBegin?: JoinDeps['onBegin'];
  readonly onProgress?: (kind: KindName, progress: LoadProgress) => void;
}

interface HelperContext {
  readonly env: Environment;
  readonly limits: Limits;
  /** A thread has none: whoever started it tells what people should know. */
  readonly terminal?: Terminal;
}

function silentTerminal(): Terminal {
  return createTerminal(new PassThrough().resume(), new PassThrough().resume());
}

/** Connects to both engines and helps with loads, as `joinLoads` does. */
export async function helpLoads(
  { env, limits, terminal = silentTerminal() }: HelperContext,
  kinds: readonly KindName[],
  { signal, patienceMs, name, onBegin = () => undefined, onProgress = () => undefined }: HelpOptions,
): Promise<readonly HelpedLoad[]> {
  const config = reindexConfig(env, limits);
  // A connection that breaks is told by whatever needs it.
  const log = pino({ level: 'silent' });
  await using engines = connectEngines(
    { env, log, terminal },
    { connections: connectionsOf.loader, requests: config.pressure.maxRequests + 1 },
  );
  const { pool, client, indexPrefix } = engines;
  const deps = createWriteContext(pool, client, config);
  return await joinLoads({ ...deps, indexPrefix, name, onBegin, onProgress }, kinds, { signal, patienceMs });
}
