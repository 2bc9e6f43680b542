import type { Registry } from 'prom-client';
import type { QueryEmbedderObserver } from '../embeddings/query-embedder.ts';
import { kindNames } from '../kinds/kind.ts';
import type { Outcome } from '../payments/flow/context.ts';
import type { PaymentFigures } from '../payments/ledger/observe.ts';
import type { IndexLag, Meter, PaidSearch, QueryEmbedder } from '../ports.ts';
import { addGauge, metricsIn } from './registry.ts';

/** Creates the metrics of the API, without those of its engines. */
export function createApiMetrics(registry: Registry) {
  return {
    meter: createMeter(registry),
    /** Returns the paid search with counted outcomes. */
    meteredPaidSearch: countPayments(registry),
    /** Exports the figures of the ledger; null while they are unknown. */
    watchLedger: (figures: () => PaymentFigures | null) => createLedgerGauges(registry, figures),
    /** Exports the lag of the indices. */
    watchLag(lag: IndexLag) {
      const help = 'Age of the oldest change that the index of a kind lacks; absent if unknown.';
      const read = () =>
        kindNames.flatMap((kind) => {
          const seconds = lag.seconds([kind]);
          return seconds === null ? [] : [[{ kind }, seconds] as const];
        });
      addGauge(registry, 'index_lag_seconds', help, read, ['kind']);
    },
  };
}

/** Methods with their own label. Others share one, so that callers can't create labels. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

function createMeter(registry: Registry): Meter {
  const { counter, gauge, durations } = metricsIn(registry);
  const requests = durations(
    'http_request_duration_seconds',
    'Duration of requests until the answer was sent, by method, route template and status; aborted if the client disconnected.',
    ['method', 'route', 'status'],
  );
  const toolCalls = durations(
    'tool_call_duration_seconds',
    'Duration of calls of MCP tools, by tool and outcome: answered, payment_required, failed where nothing could be fetched, or the code of the error.',
    ['tool', 'outcome'],
  );
  let underWay = 0;
  addGauge(registry, 'http_requests_in_flight', 'Requests in progress.', () => underWay);
  const refusals = counter('key_refusals_total', 'Requests refused because of their key, by reason.', ['reason']);
  const checks = gauge(
    'health_check_success',
    'Result of the last health check, 1 or 0. Updated when health is requested.',
    ['check'],
  );
  return {
    began() {
      underWay += 1;
    },
    answered({ method, route, status, seconds }) {
      underWay -= 1;
      requests.observe({ method: methods.has(method) ? method : 'other', route, status }, seconds);
    },
    toolCalled: ({ tool, outcome, seconds }) => toolCalls.observe({ tool, outcome }, seconds),
    keyRefused: (reason) => refusals.inc({ reason }),
    healthChecked: (check, operational) => checks.set({ check }, operational ? 1 : 0),
  };
}

function countPayments(registry: Registry): (search: PaidSearch) => PaidSearch {
  const payments = metricsIn(registry).counter('payments_total', 'Requests with a payment, by outcome.', ['outcome']);
  return (search) => ({
    ...search,
    async purchase(request) {
      const outcome = await search.purchase(request);
      payments.inc({ outcome: wordOf(outcome) });
      return outcome;
    },
  });
}

function createLedgerGauges(registry: Registry, figures: () => PaymentFigures | null): void {
  const readings = (label: string, values: Readonly<Record<string, number>> = {}) =>
    Object.entries(values).map(([name, value]) => [{ [label]: name }, value] as const);
  addGauge(
    registry,
    'payments',
    'Payments that may need attention: settling; overdue, the same for more than an hour; undelivered, paid and not fetched; released, given up but may still land; no_node, open on a network without a node.',
    () => readings('state', figures()?.payments),
    ['state'],
  );
  addGauge(
    registry,
    'payments_audit_findings',
    'Unacknowledged findings of the payment audit: transfer_without_row, row_without_transfer, unreadable, reversed.',
    () => readings('kind', figures()?.findings),
    ['kind'],
  );
  addGauge(
    registry,
    'payments_audit_age_seconds',
    'Time since the payment audit was last completed for every recipient; absent before the first one.',
    () => figures()?.auditAgeSeconds ?? null,
  );
}

function wordOf(outcome: Outcome): string {
  if (outcome.kind === 'served') return outcome.replayed ? 'replayed' : 'served';
  return outcome.kind.replaceAll('-', '_');
}

/** The metrics of query vectors. */
export interface EmbeddingMetrics {
  readonly embedded: QueryEmbedderObserver['embedded'];
  watch(embedder: Pick<QueryEmbedder, 'state'>): void;
}

export function createEmbeddingMetrics(registry: Registry): EmbeddingMetrics {
  const metrics = metricsIn(registry);
  const requests = metrics.counter(
    'embedding_requests_total',
    'Vectors wanted for queries, by outcome: ok; cached; skipped, as the provider is left alone after failures; aborted, not needed any more; busy, too many at the same time; or how the provider failed.',
    ['outcome'],
  );
  const durations = metrics.durations(
    'embedding_duration_seconds',
    'Duration of requests for the vector of a query, whatever the outcome.',
  );
  return {
    embedded(outcome, seconds) {
      requests.inc({ outcome });
      if (seconds !== null) durations.observe(seconds);
    },
    watch(embedder) {
      const help = '1 if the last request for the vector of a query was answered, else 0; absent without embeddings.';
      addGauge(registry, 'embedding_available', help, () => (embedder.state() === 'ready' ? 1 : 0));
    },
  };
}
