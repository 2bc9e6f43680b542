import { z } from 'zod';
import { aliasName, kindOfIndex } from '../../kinds/index-names.ts';
import { type KindName, kindNames } from '../../kinds/kind.ts';
import type { SendSearch } from '../ports.ts';

const answer = z.object({
  timed_out: z.literal(false),
  aggregations: z.object({ indices: z.object({ buckets: z.array(z.object({ key: z.string() })) }) }),
});

/**
 * Returns the kinds that can be searched by meaning now: their live indices have vectors of the model. Null if
 * Elasticsearch does not answer.
 * @param field below `search`, with the vectors of the model
 */
export async function embeddedKinds(
  field: string,
  indexPrefix: string,
  send: SendSearch,
): Promise<readonly KindName[] | null> {
  const reply = await send({
    indices: kindNames.map((kind) => aliasName(indexPrefix, kind)),
    body: {
      size: 0,
      track_total_hits: false,
      query: { exists: { field: `search.${field}` } },
      aggs: { indices: { terms: { field: '_index', size: kindNames.length } } },
    },
    flatScores: true,
  });
  const parsed = answer.safeParse(reply.ok ? reply.body : null);
  if (!parsed.success) return null;
  const found = parsed.data.aggregations.indices.buckets.map(({ key }) => kindOfIndex(key));
  return kindNames.filter((kind) => found.includes(kind));
}
