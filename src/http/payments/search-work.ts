import type { SearchWork } from '../../payments/flow/purchase-types.ts';
import {
  type PaidKind,
  type PaidRequest,
  paidItemFields,
  paidKinds,
  splitLimit,
} from '../../payments/protocol/paid-search.ts';
import { type SearchDeps, searchPage } from '../search/search-page.ts';

export function soldKinds({ type }: PaidRequest): readonly PaidKind[] {
  return type === 'all' ? paidKinds : [type];
}

/** One search a kind, all at once; a failure of one is a failure of all, for nobody pays for half an answer. */
export function searchWork(deps: SearchDeps, request: PaidRequest, clientSignal: AbortSignal): SearchWork {
  const limits = splitLimit(request);
  return async () => {
    const found: Record<PaidKind, readonly unknown[]> = { companies: [], people: [], investors: [] };
    const pages = await Promise.all(
      soldKinds(request).map(async (kind) => {
        const query = { type: kind, text: request.q, page: 1, limit: limits[kind], fields: paidItemFields[kind] };
        return limits[kind] === 0 ? null : { kind, page: await searchPage(deps, query, clientSignal) };
      }),
    );
    for (const { kind, page } of pages.filter((each) => each !== null)) {
      if (!page.ok) return page;
      found[kind] = page.response.results.map(({ entity_type: _, ...item }) => item);
    }
    return { ok: true, data: found };
  };
}
