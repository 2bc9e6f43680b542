import { type Allowance, type QuotaStatus, tighterLimit } from '../../access/quota.ts';
import { toSeconds } from '../../lib/durations.ts';

/** The headers that `quotaHeaders` may set. */
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
 * Returns the cost of a request and the calls left: as RateLimit fields of the IETF's draft 10 (`q` quota, `w` window
 * in seconds, `r` calls left, `t` seconds until the reset), and as X-RateLimit-* for the limit that is nearer to its
 * end. A month has no fixed length, so its policy has no window. Plans without limits only have the cost.
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
