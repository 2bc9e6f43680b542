import { z } from 'zod';
import { pickFields, recordFields } from '../../kinds/fields.ts';
import { type KindName, kindNames, mapKinds } from '../../kinds/kind.ts';
import { kinds } from '../../kinds/registry.ts';
import { listOf, memberOf } from '../../lib/parameter-schemas.ts';
import type { Deps } from '../../ports.ts';
import { canBeSlug, recordIdentifier } from '../../records/identifiers.ts';
import { type EntityRecord, parseRecord } from '../../records/ports.ts';
import type { Endpoint, EndpointContext } from '../endpoint.ts';
import { RecordNotFound, ServiceUnavailable } from '../errors/errors.ts';
import { components, envelopeOf, records } from '../openapi/components.ts';
import { headerRefs } from '../openapi/headers.ts';
import { jsonContent } from '../openapi/responses.ts';
import { queryParameters } from '../openapi/to-schema.ts';
import { parseParameters } from '../request/parameters.ts';
import { entityTag, hasTag } from '../response/entity-tag.ts';
import { answerJson, envelope } from '../response/json.ts';
import { quotaHeaderNames } from '../response/quota-headers.ts';

function recordParameters(kind: KindName) {
  return z.strictObject({ fields: listOf(memberOf(recordFields([kind]), `${kinds[kind].singular}Field`)).optional() });
}

const identifierText = 'An id or a slug. A whole number is read as an id, and as a slug if no entity has that id.';

const answers = mapKinds((kind) =>
  envelopeOf(records[kind]).register(components, { id: `${kinds[kind].singular}Answer` }),
);
const parameters = mapKinds(recordParameters);

/** Returns the path parameter that names an entity. */
export function identifierParameter(kind: KindName) {
  return {
    name: 'identifier',
    in: 'path',
    required: true,
    description: identifierText,
    schema: { type: 'string', minLength: 1, pattern: '^[^/\\u0000-\\u001f\\u007f-\\u009f]+$' },
    example: kinds[kind].exampleIdentifier,
  };
}

function recordOperation(kind: KindName) {
  const { singular } = kinds[kind];
  return {
    operationId: `get${singular}`,
    tag: 'Records',
    summary: `Get one ${singular.toLowerCase()}`,
    description:
      'Reads the database, so an entity is available as soon as it is imported. Costs one call, even if nothing is found.',
    parameters: [
      identifierParameter(kind),
      ...queryParameters(parameters[kind], {
        fields: { text: 'Fields of the record, instead of all; id is always there.' },
      }),
      { name: 'If-None-Match', in: 'header', description: "An earlier answer's ETag.", schema: { type: 'string' } },
    ],
    content: jsonContent(answers[kind]),
    headers: ['ETag'],
    responses: {
      304: {
        description: 'The record still matches If-None-Match.',
        headers: headerRefs(['X-Request-Id', ...quotaHeaderNames, 'ETag']),
      },
    },
  } as const;
}

/** GET /api/v1/{kind}/{id-or-slug}, from Postgres. */
export function record(kind: KindName): Endpoint {
  return {
    method: 'get',
    path: `/api/v1/${kind}/{identifier}`,
    gates: ['slot', 'key', 'records slot', 'one call'],
    errors: ['not_found'],
    countedAs: 'records',
    operation: () => recordOperation(kind),
    llms: `\`GET /api/v1/{${kindNames.join('|')}}/{id-or-slug}\`: one record.`,
    handler: (deps) => recordHandler(deps, kind),
  };
}

/** Answers with one record, for the keyed API and the pages. */
function recordHandler(deps: Deps, kind: KindName) {
  return async (ctx: EndpointContext) => {
    const wanted = { kind, identifier: ctx.params.identifier ?? '', queryString: ctx.querystring };
    const { name, data } = await readRecord(deps, wanted);
    // The caller may keep the record, but must revalidate it.
    ctx.set('Cache-Control', 'private, no-cache');
    ctx.vary('Authorization');
    const tag = entityTag(data);
    ctx.set('ETag', tag);
    if (hasTag(ctx.get('If-None-Match'), tag)) ctx.status = 304;
    else answerJson(ctx, envelope(data, `Found ${name}.`, ctx.state.requestId, deps.clock));
  };
}

/**
 * Returns one record with the fields of a query string. Throws `InvalidParameters`, `RecordNotFound` and
 * `ServiceUnavailable`.
 */
export async function readRecord(
  deps: Pick<Deps, 'entities'>,
  wanted: { readonly kind: KindName; readonly identifier: string; readonly queryString: string },
): Promise<{ readonly name: string; readonly data: EntityRecord }> {
  const { kind, identifier, queryString } = wanted;
  const { fields } = parseParameters(parameters[kind], queryString);
  const record = await fetchRecord(deps, kind, identifier);
  return { name: String(record.name), data: pickFields(kind, record, fields) };
}

/** Throws `RecordNotFound`, and `ServiceUnavailable` if Postgres does not answer. */
export async function fetchRecord(
  { entities }: Pick<Deps, 'entities'>,
  kind: KindName,
  text: string,
): Promise<EntityRecord> {
  if (!canBeSlug(text)) throw new RecordNotFound(kind);
  const fetched = await entities.record(kind, recordIdentifier(text));
  if (fetched.ok && fetched.value === null) throw new RecordNotFound(kind);
  if (fetched.ok && fetched.value !== null) return parseRecord(fetched.value.json);
  if (!fetched.ok && fetched.reason !== 'failed') throw new ServiceUnavailable(fetched.cause);
  throw new Error('a record could not be fetched', { cause: fetched.ok ? undefined : fetched.cause });
}
