import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { type Random, seededRandom } from '../random.ts';

// Callers of every sort at all processes, as behind a load balancer without retries. Every answer is checked.

/** Answers that are excused while something is broken. */
export interface Excuse {
  readonly codes: readonly string[];
  /** Connections to this process may break or get no answer. */
  readonly lostAt?: string | undefined;
  /** Callers may not know their count against limits. */
  readonly uncounted?: boolean;
}

export interface TrafficCounts {
  requests: number;
  right: number;
  readonly excused: Record<string, number>;
  lost: number;
  cost: number;
  uncounted: number;
  readonly problems: string[];
}

export interface TrafficOptions {
  readonly urls: readonly [string, ...string[]];
  readonly key: string;
  readonly callers: number;
  readonly pauseMs: number;
  readonly seed: number;
  /** Rows of each kind with these ids stay as `seedRows` created them. */
  readonly stable: number;
  /** The answers that are excused now; null if nothing is broken. */
  excuse(): Excuse | null;
}

const problemsMax = 20;
const timeoutMs = 20_000;

const searched = z.object({ data: z.object({ results: z.array(z.object({ id: z.int(), entity_type: z.string() })) }) });
const recorded = z.object({ data: z.object({ id: z.int(), slug: z.string() }) });
const bulked = z.object({
  data: z.object({
    errors: z.array(z.unknown()).optional(),
    results: z.object({ companies: z.array(z.object({ id: z.int(), exists: z.boolean() })) }),
  }),
});
const failed = z.object({ code: z.string() });
const kinds = ['companies', 'people', 'investors', 'events'] as const;

/** A request, and a function that returns the problem with the body of a 200, or null. */
interface PlannedRequest {
  readonly path: string;
  readonly body?: string;
  wrong(body: unknown): string | null;
}

function planRequest(random: Random, stable: number): PlannedRequest {
  const id = 1 + random.whole(stable);
  const kind = random.pick(kinds);
  const slug = `first-${id}`;
  const search: PlannedRequest = {
    path: `/api/v1/search?type=${kind}&query=First%20${id}&limit=10`,
    wrong: (body) =>
      searched.parse(body).data.results.some((found) => found.id === id) ? null : `does not find ${slug}`,
  };
  const record: PlannedRequest = {
    path: `/api/v1/${kind}/${id}`,
    wrong: (body) => (recorded.parse(body).data.slug === slug ? null : `is not ${slug}`),
  };
  const bulk: PlannedRequest = {
    path: '/api/v1/bulk',
    body: JSON.stringify({ operation: 'exists', entity_type: 'companies', identifiers: [id, id + 900_000_000] }),
    wrong(body) {
      const { errors, results } = bulked.parse(body).data;
      const flags = results.companies.map(({ exists }) => exists).join();
      return errors !== undefined || flags === 'true,false' ? null : `says ${flags}`;
    },
  };
  const suggest: PlannedRequest = { path: '/api/v1/suggest?q=Fir', wrong: () => null };
  const usage: PlannedRequest = { path: '/api/v1/usage', wrong: () => null };
  return random.pick([search, search, search, record, record, bulk, suggest, usage]);
}

export async function runTraffic(options: TrafficOptions, signal: AbortSignal): Promise<TrafficCounts> {
  const counts: TrafficCounts = { requests: 0, right: 0, excused: {}, lost: 0, cost: 0, uncounted: 0, problems: [] };
  await Promise.all(
    Array.from({ length: options.callers }, async (_, at) => {
      const random = seededRandom(options.seed * 101 + at);
      while (!signal.aborted) {
        await callOnce(options, counts, random);
        await delay(random.whole(2 * options.pauseMs));
      }
    }),
  );
  return counts;
}

async function callOnce(options: TrafficOptions, counts: TrafficCounts, random: Random): Promise<void> {
  const { path, body, wrong } = planRequest(random, options.stable);
  const url = random.pick(options.urls);
  const before = options.excuse();
  counts.requests += 1;
  const outcome = await ask(`${url}${path}`, options.key, body);
  const excuses = [before, options.excuse()].filter((excuse) => excuse !== null);
  const complain = (what: string): void => {
    if (counts.problems.length < problemsMax) counts.problems.push(`${path} ${what}`);
  };
  if (excuses.some(({ uncounted }) => uncounted === true)) counts.uncounted += 1;
  if (outcome === null) {
    counts.lost += 1;
    if (!excuses.some(({ lostAt }) => lostAt === url)) complain('was not answered');
    return;
  }
  counts.cost += outcome.cost;
  if (outcome.status === 200) {
    const mistake = wrongIn(() => wrong(outcome.body));
    if (mistake === null) counts.right += 1;
    else complain(mistake);
    return;
  }
  const { code } = failed.catch({ code: 'an error of no form' }).parse(outcome.body);
  counts.excused[code] = (counts.excused[code] ?? 0) + 1;
  if (outcome.status === 503 && !outcome.retryAfter) complain('503 without Retry-After');
  if (!excuses.some(({ codes }) => codes.includes(code))) complain(`${outcome.status} ${code}`);
}

/** A body of another form is as wrong as a body with other content. */
function wrongIn(look: () => string | null): string | null {
  try {
    return look();
  } catch (error) {
    if (error instanceof z.ZodError) return `has another form: ${error.message}`;
    throw error;
  }
}

async function ask(url: string, key: string, body: string | undefined) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  try {
    const init = body === undefined ? { headers } : { method: 'POST', headers, body };
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) });
    const answer: unknown = await response.json();
    return {
      status: response.status,
      cost: Number(response.headers.get('x-request-cost') ?? 0),
      retryAfter: response.headers.has('retry-after'),
      body: answer,
    };
  } catch {
    // The request was refused, cut or not answered. The caller decides if that is excused.
    return null;
  }
}
