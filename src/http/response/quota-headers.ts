import { type Allowance, type QuotaStatus, tighterLimit } from '../../access/quota.ts';
import { toSeconds } from '../../lib/durations.ts';

/** The headers that allowanceHeaders may set. */
export const quotaHeaderNames = [
  'X-Request-Cost',
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const;

const minuteSeconds = 60;

/**
 * What a request cost and what is left of the plan's limits: as the IETF's draft of RateLimit fields has it (version 10:
 * each policy by name, `q` its quota, `w` its window in seconds, `r` what remains, `t` the seconds until it is full
 * again), and as X-RateLimit-*, of the limit of which less is left. A month's window has no fixed length, so none is
 * told. Of a plan without limits there is nothing to tell but the cost.
 */
export function quotaHeaders(cost: number, standing: QuotaStatus): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { 'X-Request-Cost': String(cost) };
  const policies: (readonly [name: string, window: string, allowance: Allowance | null])[] = [
    ['minute', `;w=${minuteSeconds}`, standing.minute],
    ['month', '', standing.month],
  ];
  const tightest = tighterLimit(standing);
  if (tightest === null) return headers;
  const given = policies.flatMap(([name, window, allowance]) =>
    allowance === null ? [] : [{ name, window, ...allowance }],
  );
  headers['RateLimit-Policy'] = given.map(({ name, window, limit }) => `"${name}";q=${limit}${window}`).join(', ');
  headers.RateLimit = given.map(({ name, left, resetMs }) => `"${name}";r=${left};t=${toSeconds(resetMs)}`).join(', ');
  headers['X-RateLimit-Limit'] = String(tightest.limit);
  headers['X-RateLimit-Remaining'] = String(tightest.left);
  headers['X-RateLimit-Reset'] = String(toSeconds(tightest.resetMs));
  return headers;
}
