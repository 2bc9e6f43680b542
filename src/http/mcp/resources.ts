import { ProtocolError, ProtocolErrorCode, type ReadResourceResult } from '@modelcontextprotocol/server';
import { kindNames } from '../../kinds/kind.ts';
import type { Deps } from '../../ports.ts';
import type { Context } from '../context.ts';
import { installationOf } from '../endpoint.ts';
import { readRecord } from '../endpoints/records.ts';
import { type ApiError, toApiError } from '../errors/errors.ts';
import { reportError } from '../middleware/handle-errors.ts';
import { errorData, errorText, KeyMissing } from './errors.ts';
import { compactObject } from './readable.ts';
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

/** Creates the function that reads an entity, for one call. */
export function createResourceReader(deps: Deps): (ctx: Context, uri: string) => Promise<ReadResourceResult> {
  const charged = chargedAs(deps, 'records', deps.limiters.records);
  return (ctx, uri) => {
    const wanted = wantedOf(uri);
    return asProtocolErrors(ctx, async () => {
      if (ctx.state.caller === undefined) throw new KeyMissing(installationOf(deps));
      const { data } = await charged(ctx, () => readRecord(deps, wanted));
      return { contents: [{ uri, mimeType, text: JSON.stringify(compactObject(data)) }] };
    });
  };
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
