import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../lib/parse-json.ts';
import { modelFiles } from './local-model.ts';

// The packages that run a local model are optional, so their types are described here as far as they are used.

interface Tensor {
  readonly data: unknown;
}

interface InferenceSession {
  run(inputs: Readonly<Record<string, Tensor>>): Promise<Readonly<Record<string, Tensor>>>;
}

interface OnnxRuntime {
  readonly Tensor: new (type: 'int64', data: BigInt64Array, shape: readonly number[]) => Tensor;
  readonly InferenceSession: {
    create(network: Uint8Array, options: Readonly<Record<string, unknown>>): Promise<InferenceSession>;
  };
}

interface Tokenizers {
  readonly Tokenizer: new (
    description: object,
    config: object,
  ) => { encode(text: string): { readonly ids: readonly number[] } };
}

export interface Runtime {
  readonly onnx: OnnxRuntime;
  readonly tokenizers: Tokenizers;
}

/** The folder for the packages that `npm run embeddings:model` fetches. */
export const runtimeFolder = join(import.meta.dirname, '..', '..', '..', '.local', 'embeddings', 'runtime');

/** Loads the packages that are installed with the service, or else those in `runtimeFolder`. */
function loadRuntime(): Runtime {
  try {
    return loadFrom(import.meta.url);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')) throw error;
    return loadFrom(join(runtimeFolder, 'package.json'));
  }
}

function loadFrom(place: string): Runtime {
  const load = createRequire(place);
  return { onnx: load('onnxruntime-node'), tokenizers: load('@huggingface/tokenizers') };
}

/** Returns true if the packages are installed with the service. */
export function isRuntimeInstalled(): boolean {
  try {
    const { resolve } = createRequire(import.meta.url);
    return [resolve('onnxruntime-node'), resolve('@huggingface/tokenizers')].length === 2;
  } catch {
    return false;
  }
}

interface LoadedModel {
  tokensOf(text: string): readonly number[];
  /** Returns the vectors of all tokens, one after the other. */
  statesOf(tokens: readonly number[]): Promise<Float32Array>;
}

/** A missing or wrong file or package of the local model. */
class ModelMissing extends Error {
  override readonly name = 'ModelMissing';
}

const tokenizerFile = z.looseObject({ model: z.looseObject({ type: z.literal('WordPiece') }) });

/** Loads the model of a folder. Throws `ModelMissing` if its files or the packages that run it are missing. */
export async function loadModel(folder: string): Promise<LoadedModel> {
  const { onnx, tokenizers } = loadPackages();
  const [network, tokenizerText] = await Promise.all([
    readModelFile(folder, modelFiles.network),
    readModelFile(folder, modelFiles.tokenizer),
  ]);
  const description = tokenizerFile.safeParse(parseJson(tokenizerText.toString('utf8')));
  if (!description.success)
    throw new ModelMissing(`${join(folder, modelFiles.tokenizer)} is not a tokenizer. ${fetchIt}`);
  const tokenizer = new tokenizers.Tokenizer(description.data, {});
  // Only this thread computes, so that the service has the other cores.
  const session = await onnx.InferenceSession.create(network, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    logSeverityLevel: 3,
  });
  return { tokensOf: (text) => tokenizer.encode(text).ids, statesOf: (tokens) => statesOf(onnx, session, tokens) };
}

async function statesOf(
  onnx: Runtime['onnx'],
  session: InferenceSession,
  tokens: readonly number[],
): Promise<Float32Array> {
  const shape = [1, tokens.length];
  const filled = (numbers: BigInt64Array) => new onnx.Tensor('int64', numbers, shape);
  const { last_hidden_state: states } = await session.run({
    input_ids: filled(BigInt64Array.from(tokens, BigInt)),
    attention_mask: filled(new BigInt64Array(tokens.length).fill(1n)),
    token_type_ids: filled(new BigInt64Array(tokens.length)),
  });
  const data = states?.data;
  if (!(data instanceof Float32Array)) throw new Error('The model has no last_hidden_state.');
  return data;
}

const fetchIt = 'Run `npm run embeddings:model`, or see docs/embeddings.md.';

function loadPackages(): Runtime {
  try {
    return loadRuntime();
  } catch (error) {
    throw new ModelMissing(`The packages that run a local model are not usable (${codeOf(error)}). ${fetchIt}`, {
      cause: error,
    });
  }
}

async function readModelFile(folder: string, name: string): Promise<Buffer> {
  try {
    return await readFile(join(folder, name));
  } catch (error) {
    throw new ModelMissing(`The file ${join(folder, name)} cannot be read (${codeOf(error)}). ${fetchIt}`, {
      cause: error,
    });
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
