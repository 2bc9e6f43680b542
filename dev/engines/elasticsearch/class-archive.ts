import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { choosePort } from '../../lib/ports.ts';
import type { Jdk } from './jdk.ts';
import { type ElasticsearchBuild, launchNode, whenHealthy } from './node.ts';

const trainingTimeoutMs = 60_000;
const archiveTimeoutMs = 60_000;

/**
 * A class archive of this build for this JDK: the Java machine maps the parsed classes of an earlier run
 * from it and boots in two thirds of the time. It belongs to one JDK build and to one folder of jars, and its name
 * contains both: classes from another folder fail at random ("sealing violation").
 */
export function archiveFile(build: ElasticsearchBuild, jdk: Jdk): string {
  const key = createHash('sha256')
    .update(build.dir)
    .update(jdk.home)
    .update(readFileSync(join(jdk.home, 'release')));
  return join(build.dir, `classes-${key.digest('hex').slice(0, 12)}.jsa`);
}

/**
 * Makes the archive where it is missing: a node on a throwaway data directory is started, used a little,
 * and writes its classes down while it ends. The caller holds the build's lock.
 */
export async function makeArchive(build: ElasticsearchBuild, jdk: Jdk, signal?: AbortSignal): Promise<void> {
  const file = archiveFile(build, jdk);
  // A node of a killed training may still be writing, so each training has a folder of its own.
  for (const name of readdirSync(build.dir)) {
    if (name.startsWith('training-')) rmSync(join(build.dir, name), { recursive: true, force: true });
  }
  const work = join(build.dir, `training-${randomUUID()}`);
  const draft = join(work, 'classes.jsa');
  mkdirSync(join(work, 'data'), { recursive: true });
  const port = await choosePort(undefined);
  const logFile = join(work, 'node.log');
  try {
    const child = await launchNode(build, {
      jdk,
      dataDir: join(work, 'data'),
      logDir: work,
      logFile,
      port,
      transportPort: await choosePort(undefined, [port]),
      heapMb: 256,
      javaOptions: [`-XX:ArchiveClassesAtExit=${draft}`],
    });
    try {
      await whenHealthy(child, { port, logFile }, { timeoutMs: trainingTimeoutMs, signal });
      await useNode(`http://127.0.0.1:${port}`, signal);
    } finally {
      await child.stop(signal?.aborted ? 0 : archiveTimeoutMs);
    }
    if (existsSync(draft)) renameSync(draft, file);
    else throw new Error(`the Java machine wrote none: ${readFileSync(logFile, 'utf8').slice(-500)}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** One index, one document, one search: what every later run does first. */
async function useNode(url: string, signal: AbortSignal | undefined): Promise<void> {
  const limits = { signal: AbortSignal.any([AbortSignal.timeout(trainingTimeoutMs), ...(signal ? [signal] : [])]) };
  const send = async (method: string, path: string, body: unknown): Promise<void> => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const type = typeof body === 'string' ? 'application/x-ndjson' : 'application/json';
    const answer = await fetch(`${url}${path}`, { method, body: text, headers: { 'content-type': type }, ...limits });
    const said = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${said.slice(0, 500)}`);
  };
  const analyzer = { folded: { tokenizer: 'standard', filter: ['lowercase', 'asciifolding'] } };
  await send('PUT', '/training', {
    settings: { number_of_replicas: 0, analysis: { analyzer } },
    mappings: { properties: { name: { type: 'text', analyzer: 'folded' }, rank: { type: 'double' } } },
  });
  await send('POST', '/training/_bulk?refresh=true', '{"index":{"_id":"1"}}\n{"name":"Ångström Labs","rank":1}\n');
  await send('POST', '/training/_search', {
    query: {
      function_score: {
        query: { match: { name: { query: 'angstrom', fuzziness: 1 } } },
        field_value_factor: { field: 'rank' },
      },
    },
    highlight: { fields: { name: {} } },
  });
}
