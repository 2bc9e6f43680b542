import {
  type CompleteRequestParams,
  type CompleteResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
} from '@modelcontextprotocol/server';
import { kindNames } from '../../kinds/kind.ts';
import type { Deps } from '../../ports.ts';
import type { Context } from '../context.ts';
import { readRecord } from '../endpoints/records.ts';
import { suggestNames } from '../endpoints/suggest.ts';
import { type ApiError, toApiError } from '../errors/errors.ts';
import { KeyMissing } from '../errors/mcp-errors.ts';
import { reportError } from '../middleware/handle-errors.ts';
import { compactObject } from './compact.ts';
import { offersOf } from './offers.ts';
import { byToolNames, type RouteNames } from './tool-arguments.ts';
import { errorData, errorText } from './tool-errors.ts';
import { chargedAs } from './tools/tool.ts';

const mimeType = 'application/json';

/** The template for addresses of entities, which are too many for a list. */
export const resourceTemplate = {
  name: 'entity',
  title: 'Entity',
  uriTemplate: 'entity://{kind}/{slug}',
  description: `One entity as JSON: kind is one of ${kindNames.join(', ')}; an id works instead of the slug.`,
  mimeType,
} as const;

/** Parameters of the suggest route by the parts of the address. */
const routeNames: RouteNames = { kind: 'type', slug: 'q' };

/** Maximum number of completions, which people read while they type. */
const completionsMax = 20;

interface Resources {
  /** Reads an entity, for one call. */
  read(ctx: Context, uri: string): Promise<ReadResourceResult>;
  /** Completes kinds for free, and slugs for one call. Without a key, slugs have no completions. */
  complete(ctx: Context, params: CompleteRequestParams): Promise<CompleteResult>;
}

export function createResources(deps: Deps): Resources {
  const readingCharged = chargedAs(deps, 'records', deps.limiters.records);
  const suggestingCharged = chargedAs(deps, 'suggest', deps.limiters.searches);

  async function slugs(ctx: Context, value: string, kind: string): Promise<readonly string[]> {
    const given = { type: kind, q: value, limit: String(completionsMax) };
    const query = new URLSearchParams(Object.entries(given).filter(([, text]) => text !== ''));
    const { suggestions } = await suggestingCharged(ctx, () =>
      byToolNames(routeNames, () => suggestNames(deps, ctx, query.toString())),
    );
    return [...new Set(suggestions.map(({ slug }) => slug))];
  }

  return {
    async read(ctx, uri) {
      const wanted = wantedOf(uri);
      return asProtocolErrors(ctx, async () => {
        if (ctx.state.caller === undefined) throw new KeyMissing(offersOf(deps));
        const { data } = await readingCharged(ctx, () => readRecord(deps, wanted));
        return { contents: [{ uri, mimeType, text: JSON.stringify(compactObject(data)) }] };
      });
    },
    async complete(ctx, { ref, argument: { name, value }, context }) {
      if (ref.type !== 'ref/resource' || ref.uri !== resourceTemplate.uriTemplate) return completion([]);
      if (name === 'kind') return completion(kindNames.filter((kind) => kind.startsWith(value)));
      if (name !== 'slug' || value === '' || ctx.state.caller === undefined) return completion([]);
      return asProtocolErrors(ctx, async () => completion(await slugs(ctx, value, context?.arguments?.kind ?? '')));
    },
  };
}

function completion(values: readonly string[]): CompleteResult {
  return { completion: { values: [...values] } };
}

/** Parses an address such as `entity://companies/plover-spire`. Throws `ProtocolError` if it is not one. */
function wantedOf(uri: string) {
  const [, kindText = '', slug = ''] = /^entity:\/\/([^/]+)\/([^/?#]+)$/.exec(uri) ?? [];
  const kind = kindNames.find((name) => name === kindText);
  const identifier = decoded(slug);
  if (kind !== undefined && identifier !== null) return { kind, identifier, queryString: '' };
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no resource with this address: use ${resourceTemplate.uriTemplate}, with kind one of ${kindNames.join(', ')}.`,
  );
}

/** Decodes a part of an address. Returns null if it is empty or malformed. */
function decoded(text: string): string | null {
  try {
    return text === '' ? null : decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Turns API errors into protocol errors, because resources have no error results as tools do. */
async function asProtocolErrors<Result>(ctx: Context, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    const error = toApiError(thrown);
    reportError(ctx, error);
    throw protocolError(error, ctx);
  }
}

/** A code for server-defined errors, for failures that are neither the caller's fault nor a bug. */
const serverError = -32_000;

function protocolError(error: ApiError, ctx: Context): ProtocolError {
  const { status } = error.reply;
  const asked = status === 400 || status === 404;
  const failed = status === 500 ? ProtocolErrorCode.InternalError : serverError;
  return new ProtocolError(
    asked ? ProtocolErrorCode.InvalidParams : failed,
    errorText(error, ctx),
    errorData(error, ctx),
  );
}
