import { pickFields } from '../kinds/fields.ts';
import { distinct, type Identifiers } from './identifiers.ts';
import { JsonText } from './raw-json.ts';
import type { EntityRecord, EntityStore, Fetched, FoundEntity, FoundRecord } from './ports.ts';
import type { BulkKind, BulkOperation, BulkRequest } from './bulk-request.ts';

/** One requested identifier. `slug` is there when slugs were sent; `id` is null for a slug that nothing has. */
interface Existence {
  readonly id: number | null;
  readonly slug?: string;
  readonly exists: boolean;
}

type Result = JsonText | readonly EntityRecord[] | readonly Existence[] | { readonly count: number | null };

/** `data` of section 4.2. */
export interface BulkData {
  readonly operation: BulkOperation;
  readonly entity_type: BulkKind;
  readonly requested_count: number;
  readonly results: Readonly<Partial<Record<BulkKind, Result>>>;
  readonly metadata?: { readonly processed_at: string; readonly processing_time_ms: number };
  readonly errors?: readonly { readonly entity_type: BulkKind; readonly error: string }[];
}

/** What an operation came to. */
export interface BulkOutcome {
  readonly result: Result;
  /** How many of the entities were found. */
  readonly found: number;
}

/** Asks for what an operation needs, in one statement. */
export function runBulk(
  request: BulkRequest,
  entities: Pick<EntityStore, 'records' | 'existing' | 'count'>,
): Promise<Fetched<BulkOutcome>> {
  const { operation, entity_type: kind, identifiers } = request;
  switch (operation) {
    case 'get':
      return entities.records(kind, identifiers).then(mapped((found) => got(found, request)));
    case 'exists':
      return entities.existing(kind, identifiers).then(mapped((found) => existence(found, identifiers)));
    case 'count':
      return entities.count(kind, identifiers).then(mapped((count) => ({ result: { count }, found: count })));
    default:
      return operation satisfies never;
  }
}

function mapped<From, To>(change: (value: From) => To): (fetched: Fetched<From>) => Fetched<To> {
  return (fetched) => (fetched.ok ? { ok: true, value: change(fetched.value) } : fetched);
}

function byIdentifier<Found extends FoundEntity>(found: readonly Found[], by: Identifiers['by']) {
  return new Map<number | string, Found>(found.map((entity) => [entity[by], entity]));
}

function got(found: readonly FoundRecord[], { entity_type, identifiers, fields }: BulkRequest): BulkOutcome {
  const known = byIdentifier(found, identifiers.by);
  const texts = distinct(identifiers).flatMap((identifier) => known.get(identifier)?.json ?? []);
  // Whole records go out as they came: reading and writing them anew is a third of what the API does for a bulk answer (measured).
  if (fields === undefined) return { result: listOf(texts), found: texts.length };
  const records = texts.map((text) => pickFields(entity_type, toRecord(text), fields));
  return { result: records, found: records.length };
}

function listOf(texts: readonly string[]): JsonText {
  return new JsonText(
    ...texts.map((text, at) => (at === 0 ? `[${text}` : `,${text}`)),
    texts.length === 0 ? '[]' : ']',
  );
}

function toRecord(text: string): EntityRecord {
  // Built by the kind's own SQL, which is tested to agree with the kind's schema.
  // nosemgrep: outside-data-is-checked
  return JSON.parse(text) as EntityRecord;
}

function existence(found: readonly FoundEntity[], wanted: Identifiers): BulkOutcome {
  const known = byIdentifier(found, wanted.by);
  const items =
    wanted.by === 'id'
      ? wanted.values.map((id) => ({ id, exists: known.has(id) }))
      : wanted.values.map((slug) => ({ id: known.get(slug)?.id ?? null, slug, exists: known.has(slug) }));
  return { result: items, found: known.size };
}

const emptyResults: Readonly<Record<BulkOperation, Result>> = { get: [], exists: [], count: { count: null } };

const failures = {
  timeout: 'The entities could not be fetched in time: send fewer identifiers, or retry later.',
  failed: 'The entities could not be fetched: retry later.',
} as const;

/**
 * The answer's data.
 * @param outcome what came out, or why the entities could not be fetched
 */
export function bulkData(
  request: BulkRequest,
  outcome: BulkOutcome | keyof typeof failures,
  timing: { readonly processedAtMs: number; readonly tookMs: number },
): BulkData {
  const { operation, entity_type, identifiers } = request;
  const failure = typeof outcome === 'string' ? failures[outcome] : undefined;
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

/** A sentence for people that names the operation, the count and the entity type. */
export function bulkMessage(request: BulkRequest, outcome: BulkOutcome | keyof typeof failures): string {
  const { operation, entity_type, identifiers } = request;
  const asked = `Bulk ${operation} of ${identifiers.values.length} ${entity_type}`;
  return typeof outcome === 'string' ? `${asked}: failed, see errors.` : `${asked}: ${outcome.found} found.`;
}
