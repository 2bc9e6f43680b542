import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type Changes, merged } from '../../../dev/lib/limits.ts';
import { generateApiKey, hashApiKey } from '../../../src/access/api-key.ts';
import type { KeyLookup, KeyRecord } from '../../../src/access/keys.ts';
import { type Config, readConfig } from '../../../src/config/api.ts';
import { createOpenCursors, openCursorsSettings } from '../../../src/http/search/open-cursors.ts';
import { createLimiters } from '../../../src/http/server/limiters.ts';
import { kindNames } from '../../../src/kinds/kind.ts';
import { kinds } from '../../../src/kinds/registry.ts';
import { createLogger } from '../../../src/lib/log.ts';
import type { Clock, Deps } from '../../../src/ports.ts';
import type { SearchReply, SearchRequest } from '../../../src/search/ports.ts';
import { emptyKnowledge, type Knowledge } from '../../../src/search/questions/knowledge.ts';
import { emptyVocabulary, type Vocabulary } from '../../../src/search/vocabulary/vocabulary.ts';
import type { Drain } from '../../../src/shutdown.ts';
import { forFile } from '../for-file.ts';
import { plainAccess } from './fake-access.ts';
import { noAccount } from './fake-sessions.ts';
import { serveChecked } from './serve.ts';

/** A clock that stops until it is moved. */
export interface HandClock extends Clock {
  move(ms: number): void;
}

export function handClock(startMs = Date.UTC(2026, 0, 31, 23, 59, 59, 7)): HandClock {
  let passedMs = 0;
  return {
    now: () => startMs + passedMs,
    elapsed: () => passedMs,
    move: (ms) => {
      passedMs += ms;
    },
  };
}

export const realClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };

/** The behaviour of the fakes of our own ports. Each test sets only its subject. */
export interface Behaviour {
  readonly search?: (call: SearchRequest) => Promise<SearchReply>;
  /** A real Elasticsearch instead of all that. */
  readonly searchPort?: Deps['search'];
  readonly vocabulary?: Vocabulary;
  /** Empty by default. */
  readonly knowledge?: Knowledge;
  readonly embeddings?: Deps['embeddings'];
  /** The state of every key. */
  readonly find?: (hash: Buffer) => Promise<KeyLookup>;
  readonly answers?: () => Promise<boolean>;
  /** Limits that are counted and entities that are there, instead of a plan's worth and none. */
  readonly access?: Partial<Pick<Deps, 'keyUsage' | 'quotas' | 'calls' | 'entities'>>;
  /** Stores of the account. A missing part acts as if Postgres were unavailable. */
  readonly account?: Partial<NonNullable<Deps['account']>>;
  /** The built pages; without them they are answered as not built. */
  readonly pages?: Deps['pages'];
  readonly planOffer?: Deps['planOffer'];
  readonly clock?: Clock;
  readonly lag?: Deps['lag'];
  readonly meter?: Deps['meter'];
  readonly env?: Readonly<Record<string, string>>;
  readonly limits?: Changes<Config>;
}

export interface Api extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** A valid key of the fake directory. */
  readonly key: string;
  readonly asked: SearchRequest[];
  /** Points in time that were closed. */
  readonly closed: string[];
  /** The log so far, one object a line. */
  readonly log: Record<string, unknown>[];
  readonly drain: Drain;
  keyed(path: string, init?: RequestInit): Promise<Response>;
  /** Posts a body with the valid key: texts and bytes unchanged, anything else as JSON. */
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
}

export const livingKey: KeyRecord = {
  keyId: 7,
  accountId: 42,
  accountActive: true,
  plan: { name: 'starter', active: true, callsPerMinute: 60, callsPerMonth: 50_000 },
  expiresAtMs: null,
  revokedAtMs: null,
};

/** Values to try for a field, the emptiest first. */
const blanks = [null, [], {}, '', 0, 1, '2026-01-31T12:00:00.000Z'];

/** A document without known values: the minimum that every document has. */
function blankRecord(kind: string): object {
  const name = kindNames.find((each) => each === kind);
  const fields = name === undefined ? [] : Object.entries(kinds[name].record.shape);
  return Object.fromEntries(
    fields.map(([field, schema]) => [field, blanks.find((value) => z.safeParse(schema, value).success)]),
  );
}

export function elasticsearchAnswer(hits: readonly { kind: string; source: object }[], total = hits.length) {
  return {
    timed_out: false,
    hits: {
      total: { value: total },
      // Far above a weak score.
      max_score: hits.length === 0 ? null : 100_000,
      hits: hits.map(({ kind, source }) => ({
        _index: `${kind}-0a1b-3`,
        _source: { ...blankRecord(kind), ...source },
      })),
    },
  };
}

/** For tests that are not about counting. */
export const silentMeter: Deps['meter'] = {
  began: () => undefined,
  answered: () => undefined,
  toolCalled: () => undefined,
  keyRefused: () => undefined,
  healthChecked: () => undefined,
};

/** The real app on a real port, with fakes of our own ports behind it. Its answers must match the OpenAPI document. */
export async function startApi(behaviour: Behaviour = {}): Promise<Api> {
  const key = generateApiKey('test', randomBytes);
  const goodHash = hashApiKey(key);
  const asked: SearchRequest[] = [];
  const closed: string[] = [];
  const log: Record<string, unknown>[] = [];
  const given = readConfig({
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    ELASTICSEARCH_URL: 'http://127.0.0.1:1',
    ...behaviour.env,
  });
  const config = merged(merged(given, { health: { holdMs: 0 } }), behaviour.limits ?? {});
  const deps: Deps = {
    config,
    log: createLogger('trace', { write: (line) => void log.push(JSON.parse(line)) }),
    clock: behaviour.clock ?? realClock,
    keys: {
      find: behaviour.find ?? (async (hash) => ({ ok: true, key: hash.equals(goodHash) ? livingKey : null })),
    },
    ...plainAccess(),
    ...behaviour.access,
    paidSearch: null,
    account: { ...noAccount, ...behaviour.account },
    pages: behaviour.pages ?? null,
    planOffer: behaviour.planOffer ?? null,
    search: {
      search: async (call) => {
        asked.push(call);
        if (behaviour.searchPort !== undefined) return behaviour.searchPort.search(call);
        return behaviour.search?.(call) ?? { ok: true, body: elasticsearchAnswer([]) };
      },
      searchAll: async (calls, limits) => {
        const whole = calls.map((call) => ({ ...call, ...limits }));
        asked.push(...whole);
        if (behaviour.searchPort !== undefined) return behaviour.searchPort.searchAll(calls, limits);
        const found = async (call: SearchRequest): Promise<SearchReply> =>
          behaviour.search?.(call) ?? { ok: true, body: elasticsearchAnswer([]) };
        return Promise.all(whole.map(found));
      },
      openPointInTime: async (call) =>
        behaviour.searchPort?.openPointInTime(call) ?? { ok: true, id: `frozen ${call.indices.join(',')}` },
      closePointInTime: async (call) => {
        closed.push(call.id);
        return behaviour.searchPort?.closePointInTime(call) ?? { ok: true };
      },
    },
    embeddings: behaviour.embeddings ?? null,
    vocabulary: behaviour.vocabulary ?? emptyVocabulary,
    knowledge: { latest: () => behaviour.knowledge ?? emptyKnowledge },
    database: { answers: behaviour.answers ?? (async () => true) },
    lag: behaviour.lag ?? { seconds: () => null },
    meter: behaviour.meter ?? silentMeter,
    limiters: createLimiters(config.load),
    openCursors: createOpenCursors(openCursorsSettings(config.search), behaviour.clock ?? realClock),
  };
  const { url, port, drain, close } = await serveChecked(deps);
  const keyed: Api['keyed'] = (path, init) =>
    fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${key}`, ...init?.headers } });
  return {
    url,
    port,
    key,
    asked,
    closed,
    log,
    drain,
    keyed,
    post: (path, given, more) => {
      const body = typeof given === 'string' || given instanceof Uint8Array ? given : JSON.stringify(given);
      return keyed(path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...more } });
    },
    [Symbol.asyncDispose]: close,
  };
}

/** Opens an API for all tests of the file. Each test sees only its own requests to Elasticsearch. */
export async function apiForFile(behaviour: Behaviour = {}): Promise<Api> {
  const api = await forFile(startApi(behaviour));
  beforeEach(() => void api.asked.splice(0));
  return api;
}

export interface ErrorBody {
  readonly error: string;
  readonly code: string;
  readonly details?: readonly { readonly path: string; readonly message: string }[];
}

/** A keyed search's body, with the parts that tests read. */
export interface SearchBody {
  readonly data: {
    readonly results: readonly (Readonly<Record<string, unknown>> & { readonly entity_type: string })[];
    readonly totalResults: number;
  };
  readonly meta: { readonly requestId: string };
}

/** A health report, with the parts that tests read. */
export interface HealthBody {
  readonly status: string;
  readonly responseTime: number;
  readonly diagnostics: { readonly apiRoutes: { readonly operational: boolean }; readonly embeddings: unknown };
  readonly endpoints: readonly { readonly name: string; readonly status: string }[];
}

export async function json<Body>(response: Response | Promise<Response>): Promise<Body> {
  // The test checks the content of the body itself.
  return (await (await response).json()) as Body;
}

/** Expects an error with the status and code, and returns its body. */
export async function expectError(
  answer: Response | Promise<Response>,
  status: number,
  code: string,
): Promise<ErrorBody> {
  const body = await json<ErrorBody>(answer);
  expect([(await answer).status, body.code]).toEqual([status, code]);
  return body;
}

export async function expectInvalid(answer: Response | Promise<Response>, details: readonly unknown[]): Promise<void> {
  expect((await expectError(answer, 400, 'invalid_parameter')).details).toEqual(details);
}
