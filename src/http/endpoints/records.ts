import { z } from 'zod';
import { pickFields, recordFields } from '../../kinds/fields.ts';
import type { KindName } from '../../kinds/kind.ts';
import { listOf, memberOf } from '../../lib/parameter-schemas.ts';
import type { Deps } from '../../ports.ts';
import { canBeSlug, recordIdentifier } from '../../records/identifiers.ts';
import { type EntityRecord, parseRecord } from '../../records/ports.ts';
import type { Context } from '../context.ts';
import { RecordNotFound, ServiceUnavailable } from '../errors/errors.ts';
import { parseParameters } from '../request/parameters.ts';
import { entityTag, hasTag } from '../response/entity-tag.ts';
import { envelope } from '../response/envelope.ts';
import { answerJson } from '../response/json.ts';

/** GET /api/v1/{kind}/{id-or-slug}, from Postgres. A whole number is an id first, and a slug where no such id is. */
export function recordEndpoint(deps: Deps, kind: KindName) {
  const parameters = recordParameters(kind);
  return async (ctx: Context & { readonly params: Readonly<Record<string, string>> }) => {
    const { fields } = parseParameters(parameters, ctx.querystring);
    const record = await fetchRecord(deps, kind, ctx.params.identifier ?? '');
    const data = pickFields(kind, record, fields);
    // The caller's own program may keep it, as long as it asks whether it still is so.
    ctx.set('Cache-Control', 'private, no-cache');
    ctx.vary('Authorization');
    const tag = entityTag(data);
    ctx.set('ETag', tag);
    if (hasTag(ctx.get('If-None-Match'), tag)) ctx.status = 304;
    else answerJson(ctx, envelope(data, `Found ${record.name}.`, ctx.state.requestId, deps.clock));
  };
}

export function recordParameters(kind: KindName) {
  return z.strictObject({ fields: listOf(memberOf(recordFields([kind]))).optional() });
}

async function fetchRecord({ entities }: Deps, kind: KindName, text: string): Promise<EntityRecord> {
  if (!canBeSlug(text)) throw new RecordNotFound(kind);
  const fetched = await entities.record(kind, recordIdentifier(text));
  if (fetched.ok && fetched.value === null) throw new RecordNotFound(kind);
  if (fetched.ok && fetched.value !== null) return parseRecord(fetched.value.json);
  if (!fetched.ok && fetched.reason !== 'failed') throw new ServiceUnavailable(fetched.cause);
  throw new Error('a record could not be fetched', { cause: fetched.ok ? undefined : fetched.cause });
}
