import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fetchOnce, fetchTimeoutMs } from '../../lib/fetch-once.ts';
import { logStep, type PrintLine } from '../../lib/log-step.ts';
import type { Tools } from '../preflight.ts';
import type { ElasticsearchBuild } from './node.ts';
import { type ElasticsearchVersion, fullVersion, newestElasticsearch, sourceDir } from './versions.ts';

const run = promisify(execFile);
const cacheDir = join(import.meta.dirname, '..', '..', '..', '.local', 'cache');

/** The jars of a version are unavailable. The message has the reason. */
export class ElasticsearchUnavailable extends Error {
  override readonly name = 'ElasticsearchUnavailable';
}

/** The folder for the build of the current sources, and whether it exists. */
export function locateBuild(
  version: ElasticsearchVersion = newestElasticsearch,
): ElasticsearchBuild & { readonly ready: boolean } {
  const hash = createHash('sha256');
  for (const name of readdirSync(sourceDir).sort()) hash.update(name).update(readFileSync(join(sourceDir, name)));
  const full = fullVersion(version);
  const dir = join(cacheDir, `elasticsearch-${full}-${hash.digest('hex').slice(0, 12)}`);
  return { ...layout(dir, full), ready: existsSync(dir) };
}

export async function ensureBuild(
  tools: Tools,
  printLine: PrintLine,
  signal?: AbortSignal,
  version: ElasticsearchVersion = newestElasticsearch,
): Promise<ElasticsearchBuild> {
  const build = locateBuild(version);
  const fetched = { what: `Elasticsearch ${build.version}`, into: build.dir, isComplete: () => existsSync(build.dir) };
  await fetchOnce(fetched, signal, () => buildInto(build, tools, printLine, signal));
  return build;
}

async function buildInto(
  { dir, version }: ElasticsearchBuild,
  tools: Tools,
  printLine: PrintLine,
  signal: AbortSignal | undefined,
): Promise<void> {
  // We hold the lock, so any half-built folder belongs to a dead process.
  for (const name of readdirSync(cacheDir)) {
    if (name.endsWith('.building')) rmSync(join(cacheDir, name), { recursive: true, force: true });
  }
  const draft = join(cacheDir, `${randomUUID()}.building`);
  const to = layout(draft, version);
  try {
    mkdirSync(to.serverDir, { recursive: true });
    mkdirSync(join(to.home, 'config'), { recursive: true });
    await logStep(printLine, `Elasticsearch ${version}: fetching its jars (about 45 MB the first time)`, () =>
      fetchJars(to, tools, signal),
    );
    addTransport(to);
    await logStep(printLine, 'Elasticsearch: compiling the node and its analysis plugin', () =>
      compile(draft, to, tools, signal),
    );
    renameSync(draft, dir);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

async function fetchJars(to: ElasticsearchBuild, tools: Tools, signal: AbortSignal | undefined): Promise<void> {
  if (tools.maven === undefined) throw new Error('Maven is needed to fetch Elasticsearch, and was not looked for.');
  const goal = ['-q', '-B', '-f', join(sourceDir, 'pom.xml'), 'dependency:copy-dependencies'];
  const which = [`-Delasticsearch.version=${to.version}`, '-DincludeScope=runtime'];
  const args = [...goal, ...which, `-DoutputDirectory=${to.serverDir}`];
  try {
    // Maven also needs Java, and may not find the JDK that was found here.
    const env = { ...process.env, JAVA_HOME: tools.jdk.home };
    await run(tools.maven, args, { env, timeout: fetchTimeoutMs, ...(signal === undefined ? {} : { signal }) });
  } catch (error) {
    signal?.throwIfAborted();
    throw new ElasticsearchUnavailable(
      `Maven could not fetch Elasticsearch (is a Maven repository reachable?): ${outputOf(error)}`,
      { cause: error },
    );
  }
}

/** The HTTP transport is a module of the server, so its jars must not be among the server's own. */
function addTransport(to: ElasticsearchBuild): void {
  const module = join(to.home, 'modules', 'transport-netty4');
  mkdirSync(module, { recursive: true });
  const jars = readdirSync(to.serverDir).filter((name) => /^(netty-|transport-netty4)/.test(name));
  for (const jar of jars) renameSync(join(to.serverDir, jar), join(module, jar));
  writeDescriptor(to, module, {
    name: 'transport-netty4',
    description: 'HTTP and transport over Netty',
    classname: 'org.elasticsearch.transport.netty4.Netty4Plugin',
    modulename: 'org.elasticsearch.transport.netty4',
  });
}

async function compile(
  draft: string,
  to: ElasticsearchBuild,
  tools: Tools,
  signal: AbortSignal | undefined,
): Promise<void> {
  const tool = async (name: string, args: readonly string[]): Promise<void> => {
    try {
      await run(join(tools.jdk.home, 'bin', name), args, signal === undefined ? {} : { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw new Error(`${name} failed on dev/engines/elasticsearch/java: ${outputOf(error)}`, { cause: error });
    }
  };
  const classes = join(draft, 'classes');
  const sources = readdirSync(sourceDir).filter((name) => name.endsWith('.java'));
  const flags = ['-nowarn', '-proc:none', '--release', '21', '-d', classes, '-cp', join(to.serverDir, '*')];
  await tool('javac', [...flags, ...sources.map((name) => join(sourceDir, name))]);
  const folder = 'entitysearch/local';
  const compiled = readdirSync(join(classes, folder));
  // The server refuses to start if two jars contain the same class ("jar hell").
  const ofNode = compiled.filter((name) => name.startsWith('EmbeddedNode'));
  const ofPlugin = compiled.filter((name) => !ofNode.includes(name));
  const plugin = join(to.home, 'plugins', 'analysis-common');
  mkdirSync(plugin, { recursive: true });
  const jar = (file: string, names: readonly string[]): Promise<void> =>
    tool('jar', ['--create', '--file', file, ...names.flatMap((name) => ['-C', classes, `${folder}/${name}`])]);
  await Promise.all([jar(to.nodeJar, ofNode), jar(join(plugin, 'analysis-common.jar'), ofPlugin)]);
  writeDescriptor(to, plugin, {
    name: 'analysis-common',
    description: 'The analysis components that our mappings use, under their official names',
    classname: 'entitysearch.local.AnalysisCommon',
  });
  rmSync(classes, { recursive: true });
}

function writeDescriptor(
  { version }: ElasticsearchBuild,
  dir: string,
  properties: Readonly<Record<string, string>>,
): void {
  const all = { ...properties, version, 'elasticsearch.version': version, 'java.version': '21' };
  const lines = Object.entries(all).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(dir, 'plugin-descriptor.properties'), lines.join(''));
}

function layout(dir: string, version: string): ElasticsearchBuild {
  const [home, serverDir] = [join(dir, 'home'), join(dir, 'server')];
  return { dir, version, home, serverDir, nodeJar: join(dir, 'embedded-node.jar') };
}

function outputOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const streams = [('stdout' in error && error.stdout) || '', ('stderr' in error && error.stderr) || ''];
  const text = streams.map(String).join('\n').trim();
  return text.split('\n').slice(0, 20).join('\n') || ('message' in error ? String(error.message) : String(error));
}
