import { createRequire } from 'node:module';
import { join } from 'node:path';

// The packages that run a local model are optional, so their types are described here as far as they are used.

interface Tensor {
  readonly data: unknown;
}

export interface InferenceSession {
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
export function loadRuntime(): Runtime {
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
