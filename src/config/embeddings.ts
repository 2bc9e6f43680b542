import { z } from 'zod';
import { defaultModelPath, localModel } from '../embeddings/local/local-model.ts';
import { dimensionMax, type EmbeddingModel, embeddingModel } from '../embeddings/model.ts';
import { type Environment, optionalText, parseSettings, SettingsError } from './settings.ts';

const sourceHelp = 'must be off, local, or an address such as http://127.0.0.1:11434, without user, query and fragment';

const source = optionalText.pipe(
  z
    .string()
    .default('off')
    .refine((text) => text === 'off' || text === 'local' || isPlainAddress(text), { error: sourceHelp }),
);

/** A key in the address would end up in logs, and fetch refuses such addresses. */
function isPlainAddress(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  return url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}

const modelNameMax = 200;
const dimensionHelp = `must be a whole number, from 1 to ${dimensionMax}`;

/** Other characters can't be in a header: each request would fail with an error that quotes the key. */
const keyHelp =
  'must consist of visible ASCII characters only: it has a blank, a line break or a letter of another alphabet';

export const embeddingVariables = z.object({
  EMBEDDINGS: source.meta({
    allowed: '`off`, `local`, `http://…`, `https://…`',
    default: '`off`',
    description:
      "Source of [vectors](../embeddings.md): none, a model in the process, or the address of a server with OpenAI's `POST /v1/embeddings`, with or without that path.",
  }),
  EMBEDDINGS_MODEL: optionalText
    .pipe(z.string().max(modelNameMax, `may be ${modelNameMax} characters long`).optional())
    .meta({
      allowed: 'a name',
      default: 'required with an address',
      description: 'Name of the model on the server. Another model needs new vectors and a reindex. Not for `local`.',
    }),
  EMBEDDINGS_DIMENSION: optionalText
    .pipe(
      z
        .string()
        .regex(/^[1-9]\d{0,3}$/, dimensionHelp)
        .transform(Number)
        .refine((number) => number <= dimensionMax, dimensionHelp)
        .optional(),
    )
    .meta({
      allowed: `\`1\` – \`${dimensionMax}\``,
      default: 'required with an address',
      description: "Dimension of the model's vectors. Not for `local`.",
    }),
  EMBEDDINGS_API_KEY: optionalText
    .pipe(
      z
        .string()
        .regex(/^[!-~]+$/, keyHelp)
        .optional(),
    )
    .meta({
      allowed: 'visible ASCII characters',
      default: 'none',
      description: 'Sent to the server as `Authorization: Bearer …`.',
    }),
  EMBEDDINGS_MODEL_PATH: optionalText.meta({
    allowed: 'path of a folder',
    default: '`.local/embeddings/bge-small-en-v1.5`, next to `package.json`',
    description: 'Folder of the local model, as `npm run embeddings:model` creates it.',
  }),
});

/** Text Embeddings Inference refuses requests with more texts unless it is configured otherwise. */
export const embeddingBatchSize = 32;

interface CommonSettings {
  readonly model: EmbeddingModel;
  /** The largest number of texts in one request. */
  readonly batchSize: number;
}

/** A model in this process, in a thread of its own. */
export interface LocalEmbeddings extends CommonSettings {
  readonly provider: 'local';
  /** The folder of its files. */
  readonly modelPath: string;
}

export interface ServedEmbeddings extends CommonSettings {
  readonly provider: 'url';
  /** The configured address, with or without the path of the endpoint. */
  readonly url: string;
  readonly apiKey: string | undefined;
}

/** The source of vectors. */
export type EmbeddingsConfig = LocalEmbeddings | ServedEmbeddings;

/** Reads the environment. Returns null if vectors are off. Throws `SettingsError`. */
export function readEmbeddings(env: Environment): EmbeddingsConfig | null {
  const given = parseSettings(embeddingVariables, env);
  const common = { batchSize: embeddingBatchSize };
  const { EMBEDDINGS_MODEL: modelName, EMBEDDINGS_DIMENSION: dimension } = given;
  switch (given.EMBEDDINGS) {
    case 'off':
      return null;
    case 'local': {
      const { name } = localModel;
      const isOther = modelName !== undefined && modelName !== name;
      if (isOther || dimension !== undefined) throw new SettingsError(localProblems(isOther, dimension));
      return {
        ...common,
        provider: 'local',
        model: embeddingModel(name, localModel.dimension),
        modelPath: given.EMBEDDINGS_MODEL_PATH ?? defaultModelPath,
      };
    }
    default:
      if (modelName === undefined || dimension === undefined) {
        throw new SettingsError(missingOfServer(modelName, dimension));
      }
      return {
        ...common,
        provider: 'url',
        url: given.EMBEDDINGS,
        apiKey: given.EMBEDDINGS_API_KEY,
        model: embeddingModel(modelName, dimension),
      };
  }
}

function localProblems(isOther: boolean, dimension: number | undefined): readonly string[] {
  return [
    ...(isOther ? [`EMBEDDINGS_MODEL: the local model is ${localModel.name}; unset it`] : []),
    ...(dimension === undefined ? [] : ['EMBEDDINGS_DIMENSION: is that of the local model, which is known; unset it']),
  ];
}

function missingOfServer(name: string | undefined, dimension: number | undefined): readonly string[] {
  return [
    ...(name === undefined ? ['EMBEDDINGS_MODEL: is not set; name the model as the server calls it'] : []),
    ...(dimension === undefined ? ['EMBEDDINGS_DIMENSION: is not set; set it to the dimension of its vectors'] : []),
  ];
}
