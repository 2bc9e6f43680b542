import type { SearchWork } from '../../payments/flow/purchase-types.ts';
import {
  type PaidData,
  type PaidKind,
  type PaidRequest,
  paidItemFields,
  paidKinds,
  splitLimit,
} from '../../payments/protocol/paid-search.ts';
import { SearchFailed } from '../errors/errors.ts';
import { type SearchDeps, searchPage } from '../search/search-page.ts';

export function soldKinds({ type }: PaidRequest): readonly PaidKind[] {
  return type === 'all' ? paidKinds : [type];
}

/** One search a kind, all at once; a failure of one is a failure of all, for nobody pays for half an answer. */
export function searchWork(deps: SearchDeps, request: PaidRequest, clientSignal: AbortSignal): SearchWork {
  const limits = splitLimit(request);
  const find = async (kind: PaidKind): Promise<readonly unknown[]> => {
    if (limits[kind] === 0) return [];
    const query = { type: kind, text: request.q, page: 1, limit: limits[kind], fields: paidItemFields[kind] };
    const { results } = await searchPage(deps, query, clientSignal);
    return results.map(({ entity_type: _, ...item }) => item);
  };
  return async () => {
    try {
      const [companies, people, investors] = await Promise.all(paidKinds.map(find));
      const data: PaidData = { companies: companies ?? [], people: people ?? [], investors: investors ?? [] };
      return { ok: true, data };
    } catch (error) {
      if (!(error instanceof SearchFailed)) throw error;
      return { ok: false, reason: error.reason, cause: error.cause };
    }
  };
}
