import { pickFields } from '../kinds/fields.ts';
import { kinds } from '../kinds/registry.ts';
import { counted } from '../lib/text/counted.ts';
import type { BulkOperation, BulkRequest } from './bulk-request.ts';
import { distinct, type Identifiers } from './identifiers.ts';
import {
  type EntityStore,
  type Fetched,
  type FoundEntity,
  type FoundRecord,
  mapFetched,
  parseRecord,
} from './ports.ts';
import { RawJson } from './raw-json.ts';

type Result = RawJson | readonly object[] | { readonly count: number | null };

export interface BulkOutcome {
  readonly result: Result;
  readonly found: number;
}

/** Fetches the records of an operation, in one statement. */
export async function executeBulk(
  request: BulkRequest,
  entities: Pick<EntityStore, 'records' | 'existing'>,
): Promise<Fetched<BulkOutcome>> {
  const { operation, entity_type: kind, identifiers } = request;
  switch (operation) {
    case 'get':
      return mapFetched(await entities.records(kind, identifiers), (found) => getOutcome(found, request));
    case 'exists':
      return mapFetched(await entities.existing(kind, identifiers), (found) => existsOutcome(found, identifiers));
    case 'count':
      return mapFetched(await entities.existing(kind, identifiers), ({ length: count }) => ({
        result: { count },
        found: count,
      }));
    default:
      return operation satisfies never;
  }
}

function byIdentifier<Found extends FoundEntity>(found: readonly Found[], by: Identifiers['by']) {
  return new Map<number | string, Found>(found.map((entity) => [entity[by], entity]));
}

function getOutcome(found: readonly FoundRecord[], { entity_type, identifiers, fields }: BulkRequest): BulkOutcome {
  const known = byIdentifier(found, identifiers.by);
  const texts = distinct(identifiers).flatMap((identifier) => known.get(identifier)?.json ?? []);
  // Whole records are sent as they came from Postgres: parsing and serialising would take a third of the API's time for
  // a bulk answer.
  if (fields === undefined) return { result: listOf(texts), found: texts.length };
  const records = texts.map((text) => pickFields(entity_type, parseRecord(text), fields));
  return { result: records, found: records.length };
}

function listOf(texts: readonly string[]): RawJson {
  return new RawJson(...texts.map((text, at) => (at === 0 ? `[${text}` : `,${text}`)), texts.length === 0 ? '[]' : ']');
}

function existsOutcome(found: readonly FoundEntity[], wanted: Identifiers): BulkOutcome {
  const known = byIdentifier(found, wanted.by);
  const items =
    wanted.by === 'id'
      ? wanted.values.map((id) => ({ id, exists: known.has(id) }))
      : wanted.values.map((slug) => ({ id: known.get(slug)?.id ?? null, slug, exists: known.has(slug) }));
  return { result: items, found: known.size };
}

const emptyResults: Readonly<Record<BulkOperation, Result>> = { get: [], exists: [], count: { count: null } };

/** The reasons of a failed fetch, with their messages. */
export const bulkFailures = {
  timeout: 'The entities could not be fetched in time: send fewer identifiers, or retry later.',
  failed: 'The entities could not be fetched: retry later.',
} as const;
export type BulkFailure = keyof typeof bulkFailures;

/**
 * Returns the `data` of the answer.
 * @param outcome the entities, or the reason for which they could not be fetched
 */
export function bulkData(
  request: BulkRequest,
  outcome: BulkOutcome | BulkFailure,
  timing: { readonly processedAtMs: number; readonly tookMs: number },
) {
  const { operation, entity_type, identifiers } = request;
  const failure = typeof outcome === 'string' ? bulkFailures[outcome] : undefined;
  return {
    operation,
    entity_type,
    requested_count: identifiers.values.length,
    results: { [entity_type]: typeof outcome === 'string' ? emptyResults[operation] : outcome.result },
    ...(operation === 'get'
      ? {
          metadata: {
            processed_at: new Date(timing.processedAtMs).toISOString(),
            processing_time_ms: Math.round(timing.tookMs),
          },
        }
      : {}),
    ...(failure === undefined ? {} : { errors: [{ entity_type, error: failure }] }),
  };
}

/** Returns a sentence for people that names the operation, the count and the entity type. */
export function bulkMessage(request: BulkRequest, outcome: BulkOutcome | BulkFailure): string {
  const { operation, entity_type, identifiers } = request;
  const asked = `Bulk ${operation} of ${counted(identifiers.values.length, kinds[entity_type].noun, entity_type)}`;
  return typeof outcome === 'string' ? `${asked}: failed, see errors.` : `${asked}: ${outcome.found} found.`;
}
