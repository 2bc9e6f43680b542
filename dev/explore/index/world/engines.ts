import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startEngines } from '../../../engines/engines.ts';
import { PostgresPair } from '../../../engines/postgres/pair.ts';
import { schemaHash } from '../../../engines/postgres/schema-hash.ts';
import type { Engines } from '../run.ts';
import { prepareTemplate } from './template.ts';

/** Below the folder that the process works in; git ignores it. */
const folder = '.local';

export async function startExplored(
  env: Readonly<Record<string, string | undefined>>,
  printLine: (line: string) => void,
): Promise<Engines & AsyncDisposable> {
  const hash = createHash('sha256').update(schemaHash());
  for (const file of ['template.ts', 'team-tables.ts']) hash.update(readFileSync(join(import.meta.dirname, file)));
  const template = join(folder, `explore-template-${hash.digest('hex').slice(0, 12)}`);
  const own = join(folder, `explore-${process.pid}`);
  rmSync(own, { recursive: true, force: true });
  const pair = await PostgresPair.start({ folder: own, template: { dir: template, prepare: prepareTemplate } });
  try {
    const all = await startEngines({
      state: join(folder, 'explore'),
      env: { ...env, DATABASE_URL: pair.url('postgres') },
      printLine: env.ELASTICSEARCH_URL ? () => undefined : printLine,
      fsync: false,
    });
    return {
      pair,
      elasticsearchUrl: all.elasticsearch.url,
      [Symbol.asyncDispose]: async () => {
        await Promise.allSettled([pair[Symbol.asyncDispose](), all.stop()]);
      },
    };
  } catch (error) {
    await pair[Symbol.asyncDispose]();
    throw error;
  }
}
