import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { QuotaStore } from '../access/quota.ts';
import { kindNames } from '../kinds/kind.ts';
import type { Outcome } from '../payments/flow/outcome.ts';
import { findingKinds } from '../payments/ledger/audit.ts';
import { type PaymentFigures, paymentConcerns } from '../payments/ledger/observe.ts';
import type { IndexLag, Meter, PaidSearch } from '../ports.ts';
import { durationBuckets } from './registry.ts';

/** What is counted of the API beside its engines. */
export interface ApiMetrics {
  readonly meter: Meter;
  /** The same store, whose decisions are counted. */
  quotas(store: QuotaStore): QuotaStore;
  /** The same paid search, whose outcomes are counted. */
  paid(search: PaidSearch): PaidSearch;
  /** How far the indices are behind, as searches are told. */
  watchLag(lag: IndexLag): void;
  /** What is to be said of the ledger; null while that is not known. */
  watchLedger(figures: () => PaymentFigures | null): void;
}

export function createApiMetrics(registry: Registry): ApiMetrics {
  return {
    meter: createMeter(registry),
    quotas: countDecisions(registry),
    paid: countPayments(registry),
    watchLedger: (figures) => createLedgerGauges(registry, figures),
    watchLag(lag) {
      new Gauge({
        name: 'entity_search_index_lag_seconds',
        help: 'Age of the oldest change that the index of a kind does not have; none while that is not known.',
        labelNames: ['kind'],
        registers: [registry],
        collect() {
          for (const kind of kindNames) {
            const seconds = lag.seconds([kind]);
            if (seconds === null) this.remove({ kind });
            else this.set({ kind }, seconds);
          }
        },
      });
    },
  };
}

/** Whatever else is sent as a method must not make a label of its own. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

function createMeter(registry: Registry): Meter {
  const registers = [registry];
  const requests = new Histogram({
    name: 'entity_search_http_request_duration_seconds',
    help: "Requests until their answer was sent, by method, the route's template and status; aborted: the caller went.",
    labelNames: ['method', 'route', 'status'],
    buckets: durationBuckets,
    registers,
  });
  let underWay = 0;
  new Gauge({
    name: 'entity_search_http_requests_in_flight',
    help: 'Requests that are being answered.',
    registers,
    collect() {
      this.set(underWay);
    },
  });
  const refusals = new Counter({
    name: 'entity_search_key_refusals_total',
    help: 'Requests that got no further than their key, by reason.',
    labelNames: ['reason'],
    registers,
  });
  const checks = new Gauge({
    name: 'entity_search_health_check_success',
    help: 'What the last health check found: 1 works, 0 does not. Set when somebody asks for the health.',
    labelNames: ['check'],
    registers,
  });
  return {
    began() {
      underWay += 1;
    },
    answered({ method, route, status, seconds }) {
      underWay -= 1;
      requests.observe({ method: methods.has(method) ? method : 'other', route, status }, seconds);
    },
    keyRefused: (reason) => refusals.inc({ reason }),
    healthChecked: (check, operational) => checks.set({ check }, operational ? 1 : 0),
  };
}

function countDecisions(registry: Registry): ApiMetrics['quotas'] {
  const decisions = new Counter({
    name: 'entity_search_rate_limit_decisions_total',
    help: 'Requests that asked for calls of their plan, by what was decided.',
    labelNames: ['decision'],
    registers: [registry],
  });
  return (store) => ({
    async reserve(accountId, cost, limits) {
      const reservation = await store.reserve(accountId, cost, limits);
      decisions.inc({ decision: reservation.verdict });
      return reservation;
    },
    used: (accountId) => store.used(accountId),
  });
}

function countPayments(registry: Registry): ApiMetrics['paid'] {
  const registers = [registry];
  const payments = new Counter({
    name: 'entity_search_payments_total',
    help: 'Requests with a payment, by how they ended.',
    labelNames: ['outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'entity_search_payment_duration_seconds',
    help: 'Requests with a payment: verification, search and settlement together.',
    buckets: durationBuckets,
    registers,
  });
  return (search) => ({
    ...search,
    async purchase(request) {
      const stop = durations.startTimer();
      const outcome = await search.purchase(request);
      stop();
      payments.inc({ outcome: wordOf(outcome) });
      return outcome;
    },
  });
}

function createLedgerGauges(registry: Registry, figures: () => PaymentFigures | null): void {
  const registers = [registry];
  new Gauge({
    name: 'entity_search_payments',
    help: 'Payments of the ledger that somebody may have to look at, by what is to be said of them.',
    labelNames: ['state'],
    registers,
    collect() {
      const known = figures();
      this.reset();
      if (known === null) return;
      for (const state of paymentConcerns) this.set({ state }, known.payments[state]);
    },
  });
  new Gauge({
    name: 'entity_search_payments_audit_findings',
    help: 'Differences of ledger and chain that nobody has acknowledged, by kind.',
    labelNames: ['kind'],
    registers,
    collect() {
      const known = figures();
      this.reset();
      if (known === null) return;
      for (const kind of findingKinds) this.set({ kind }, known.findings[kind]);
    },
  });
  new Gauge({
    name: 'entity_search_payments_audit_age_seconds',
    help: 'Time since the audit of payments came to its end for every recipient; none where nothing is to be audited.',
    registers,
    collect() {
      const seconds = figures()?.auditAgeSeconds ?? null;
      if (seconds === null) this.remove();
      else this.set(seconds);
    },
  });
}

function wordOf(outcome: Outcome): string {
  if (outcome.kind === 'served') return outcome.replayed ? 'replayed' : 'served';
  return outcome.kind.replaceAll('-', '_');
}
