import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { withClient } from '../../../dev/engines/postgres/client.ts';
import { startTestEngines } from '../../../dev/engines/test-engines.ts';
import { ensureRoles } from '../engines/service-roles.ts';
import { dropWorlds } from '../engines/worlds.ts';
import { memoryState } from './memory-state.ts';

/**
 * Starts both engines before the first test that needs them (environment, Docker or embedded, as logged on stderr)
 * and hands their addresses to the test processes.
 */
// biome-ignore lint/style/noDefaultExport: Jest loads the default export
export default async function enginesUp(): Promise<void> {
  const printLine = (line: string): void => void process.stderr.write(`${line}\n`);
  const inMemory = process.env.TEST_STATE ? undefined : memoryState();
  const state = process.env.TEST_STATE || inMemory;
  const engines = await startTestEngines({ env: process.env, printLine, ...(state ? { state } : {}) });
  await withClient(engines.postgres.url, ensureRoles);
  process.env.TEST_DATABASE_URL = engines.postgres.url;
  process.env.TEST_ELASTICSEARCH_URL = engines.elasticsearch.url;
  const run = randomBytes(4).toString('hex');
  process.env.TEST_RUN = run;
  const stopTestEngines = async (): Promise<void> => {
    await dropWorlds(run);
    await engines.stop();
    if (inMemory !== undefined) rmSync(inMemory, { recursive: true, force: true });
  };
  Object.assign(globalThis, { stopTestEngines });
}
