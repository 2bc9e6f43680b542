import type { Attributes } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

/** What may leave the process. No address of a caller, no path or query as it was sent, no header, no value. */
const told = new Set([
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

/** Of an engine it is our own setting, of a request what the caller wrote as its host. */
const ofEngines = new Set(['server.address', 'server.port']);

/** SQL is written in this repository, its values are parameters; a search's body would hold what was asked. */
const sql = new Set(['db.statement', 'db.query.text']);

/**
 * The same exporter, which is given only attributes that are known to hold nothing of callers: a list of what is told,
 * so that what an instrumentation adds later stays here.
 */
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
    // Messages of errors quote what was asked.
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
  const isTold = (name: string): boolean =>
    told.has(name) || (system !== undefined && ofEngines.has(name)) || (system === 'postgresql' && sql.has(name));
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => isTold(name)));
}
