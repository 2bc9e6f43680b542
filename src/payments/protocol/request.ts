import { createHash } from 'node:crypto';
import type { KindName } from '../../kinds/kind.ts';

/** The kinds that can be searched by paying, in the order in which a limit's remainder is given out. */
export const paidKinds = ['companies', 'people', 'investors'] as const satisfies readonly KindName[];
export type PaidKind = (typeof paidKinds)[number];

/** What is bought: the parameters of a paid search after defaults. */
export interface PaidRequest {
  readonly q: string;
  readonly type: PaidKind | 'all';
  readonly limit: number;
  readonly page: number;
}

/**
 * The identity of a purchase, as 64 hexadecimal digits: requests that mean the same have the same, whatever the order
 * of their parameters and whether defaults were spelled out.
 */
export function requestHash(request: PaidRequest): string {
  const canonical = JSON.stringify([request.q, request.type, request.limit, request.page]);
  return createHash('sha256').update(canonical).digest('hex');
}

/** How many results each kind may have. Their sum is the limit; a kind that was not asked for has none. */
export function splitLimit(request: PaidRequest): Readonly<Record<PaidKind, number>> {
  const asked = paidKinds.filter((kind) => request.type === 'all' || request.type === kind);
  const share = Math.floor(request.limit / asked.length);
  const remainder = request.limit % asked.length;
  const of = (kind: PaidKind): number => {
    const place = asked.indexOf(kind);
    return place === -1 ? 0 : share + (place < remainder ? 1 : 0);
  };
  return { companies: of('companies'), people: of('people'), investors: of('investors') };
}
