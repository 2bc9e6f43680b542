import { z } from 'zod';
import type { KindName } from '../../kinds/kind.ts';
import { causeText } from '../../lib/log.ts';
import type { SimilarEntity } from '../../pages/page.ts';
import type { Deps } from '../../ports.ts';
import { findSimilar } from '../../search/find-similar.ts';
import { type SearchFailure, searchTools } from '../../search/ports.ts';
import type { Context } from '../context.ts';
import { clientAborted } from '../server/on-finished.ts';

const listedMax = 6;
/** A page is not kept waiting for longer, the wait for a slot included: it is of use without them. */
const waitMaxMs = 500;

const listed = z.object({ id: z.int(), name: z.string(), slug: z.string() });

/** What a page lists as similar to its entity; nothing where Elasticsearch fails or is late. */
export async function similarEntities(
  deps: Deps,
  kind: KindName,
  id: number,
  ctx: Context,
): Promise<readonly SimilarEntity[]> {
  const waitMs = Math.min(waitMaxMs, deps.config.search.timeoutMs);
  const signal = AbortSignal.any([clientAborted(ctx), AbortSignal.timeout(waitMs)]);
  const release = await deps.limiters.searches.acquire(signal);
  if (release === null) return [];
  try {
    const tools = searchTools(deps.search, () => waitMs, { signal, vectors: deps.embeddings });
    const { indexPrefix } = deps.config.search;
    const outcome = await findSimilar(
      { kind, id, slug: null, limit: listedMax, fields: ['name', 'slug'], indexPrefix },
      tools,
    );
    if (outcome.ok)
      return (outcome.found?.results ?? []).map((item) => ({ ...listed.parse(item), shared: item.shared }));
    if (!clientAborted(ctx).aborted) logLeftOut(ctx, outcome);
    return [];
  } finally {
    release();
  }
}

function logLeftOut(ctx: Context, { reason, cause }: SearchFailure): void {
  ctx.state.log.warn({ reason, cause: causeText(cause) }, 'similar entities are left out of the page');
}
