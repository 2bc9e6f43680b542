import type { Attributes } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

/** Attributes that may leave the process. None contains a caller's address, path, query, headers or values. */
const allowed = new Set([
  'http.request.method',
  'http.response.status_code',
  'http.route',
  'url.scheme',
  'network.protocol.version',
  'db.system',
  'db.system.name',
  'db.operation.name',
  'db.namespace',
  'db.response.status_code',
  'error.type',
  'koa.type',
  'koa.name',
  // Our own, of the indexer: names of kinds and states, and numbers.
  'entity_search.kind',
  'entity_search.state',
  'entity_search.rows',
  'entity_search.documents',
  'entity_search.changes',
  'entity_search.dead_letters',
  'entity_search.exit_code',
]);

/** Attributes that are settings for engines, but come from the caller's Host for requests. */
const ofEngines = new Set(['server.address', 'server.port']);

/** Allowed for Postgres, because SQL has no values. The body of a search would contain its text. */
const sql = new Set(['db.statement', 'db.query.text']);

/** Wraps an exporter so that it gets only allowed attributes. Attributes added by later instrumentation are dropped. */
export function withoutSecrets(exporter: SpanExporter): SpanExporter {
  return {
    export: (spans, done) => exporter.export(spans.map(reduced), done),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

function reduced(span: ReadableSpan): ReadableSpan {
  return {
    name: span.name,
    kind: span.kind,
    spanContext: () => span.spanContext(),
    ...(span.parentSpanContext === undefined ? {} : { parentSpanContext: span.parentSpanContext }),
    startTime: span.startTime,
    endTime: span.endTime,
    duration: span.duration,
    ended: span.ended,
    // Messages of errors may quote requests.
    status: { code: span.status.code },
    attributes: reducedAttributes(span.attributes),
    links: span.links,
    events: span.events.map(({ name, time }) => ({ name, time })),
    resource: span.resource,
    instrumentationScope: span.instrumentationScope,
    droppedAttributesCount: span.droppedAttributesCount,
    droppedEventsCount: span.droppedEventsCount,
    droppedLinksCount: span.droppedLinksCount,
  };
}

function reducedAttributes(attributes: Attributes): Attributes {
  const system = attributes['db.system.name'] ?? attributes['db.system'];
  const isAllowed = (name: string): boolean =>
    allowed.has(name) || (system !== undefined && ofEngines.has(name)) || (system === 'postgresql' && sql.has(name));
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => isAllowed(name)));
}
