import { z } from 'zod';
import type { KindName } from '../../kinds/kind.ts';
import { causeText } from '../../lib/log.ts';
import type { SimilarEntity } from '../../pages/page.ts';
import type { Deps } from '../../ports.ts';
import { findSimilar } from '../../search/find-similar.ts';
import { searchTools } from '../../search/ports.ts';
import type { Context } from '../context.ts';
import { clientAborted } from '../server/on-finished.ts';

const listedMax = 6;
/** Maximum wait of a page for similar entities, including a slot. The page also works without them. */
const waitMaxMs = 500;

const listed = z.object({ id: z.int(), name: z.string(), slug: z.string() });

/** Finds the similar entities of a page, or none if Elasticsearch fails or is late. */
export type FindSimilarEntities = (id: number, ctx: Context) => Promise<readonly SimilarEntity[]>;

/** Creates the search for similar entities. It logs only the first of several consecutive failures. */
export function similarEntities(deps: Deps, kind: KindName): FindSimilarEntities {
  const waitMs = Math.min(waitMaxMs, deps.config.search.timeoutMs);
  const { indexPrefix } = deps.config.search;
  let isFailing = false;

  return async (id, ctx) => {
    const signal = AbortSignal.any([clientAborted(ctx), AbortSignal.timeout(waitMs)]);
    const release = await deps.limiters.searches.acquire(signal);
    if (release === null) return [];
    try {
      const tools = searchTools(deps.search, () => waitMs, { signal, vectors: deps.embeddings });
      const outcome = await findSimilar(
        { kind, id, slug: null, limit: listedMax, fields: ['name', 'slug'], indexPrefix, vocabulary: deps.vocabulary },
        tools,
      );
      if (outcome.ok) {
        isFailing = false;
        return (outcome.found?.results ?? []).map((item) => ({ ...listed.parse(item), shared: item.shared }));
      }
      if (clientAborted(ctx).aborted) return [];
      if (!isFailing) {
        const { reason, cause } = outcome;
        ctx.state.log.warn({ kind, reason, cause: causeText(cause) }, 'similar entities are left out of pages');
      }
      isFailing = true;
      return [];
    } finally {
      release();
    }
  };
}
