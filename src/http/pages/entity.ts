import { type KindName, kindNames } from '../../kinds/kind.ts';
import { type EntityPage, identifierOf, type RelatedGroup } from '../../pages/page.ts';
import type { Deps } from '../../ports.ts';
import type { Fetched, RelatedEntity } from '../../records/ports.ts';
import type { EndpointContext } from '../endpoint.ts';
import { fetchRecord } from '../endpoints/records.ts';
import { ServiceUnavailable } from '../errors/errors.ts';
import { describeEntity } from './describe-entity.ts';
import type { PageRoute } from './page-route.ts';
import { canonicalOf, sendPage } from './send-page.ts';
import { type FindSimilarEntities, similarEntities } from './similar-entities.ts';

/** Maximum number of listed related entities of each kind. */
const listedMax = 24;

/** GET /{kind}/{id-or-slug} */
export function entityPage(kind: KindName): PageRoute {
  return {
    method: 'get',
    path: `/${kind}/{identifier}`,
    gates: ['slot', 'visitor', 'records slot', 'one search'],
    countedAs: 'console',
    handler: (deps) => {
      const findSimilar = similarEntities(deps, kind);
      return async (ctx) => {
        const page = await readEntity(deps, kind, findSimilar, ctx);
        const { id, slug } = page.record;
        const named = { id: Number(id), slug: typeof slug === 'string' ? slug : null };
        const path = `/${kind}/${encodeURIComponent(identifierOf(named))}`;
        const canonical = canonicalOf(ctx, deps, path);
        sendPage(ctx, deps, { page, head: describeEntity(page, canonical), indexable: true, kept: true });
      };
    },
  };
}

async function readEntity(
  deps: Deps,
  kind: KindName,
  findSimilar: FindSimilarEntities,
  ctx: EndpointContext,
): Promise<EntityPage> {
  const record = await fetchRecord(deps, kind, ctx.params.identifier ?? '');
  const id = Number(record.id);
  const [related, similar] = await Promise.all([
    deps.entities
      .related(kind, id, listedMax + 1)
      // Frees the slot of Postgres before waiting for Elasticsearch.
      .finally(ctx.state.releaseEngineSlot),
    findSimilar(id, ctx),
  ]);
  return { name: 'entity', kind, record, related: groups(fetchedValue(related)), similar };
}

function fetchedValue<Value>(fetched: Fetched<Value>): Value {
  if (fetched.ok) return fetched.value;
  if (fetched.reason === 'failed') throw new Error('Related entities could not be fetched.', { cause: fetched.cause });
  throw new ServiceUnavailable(fetched.cause);
}

function groups(related: readonly RelatedEntity[]): readonly RelatedGroup[] {
  return kindNames.flatMap((kind) => {
    const found = related.filter((entity) => entity.kind === kind);
    if (found.length === 0) return [];
    const entities = found.slice(0, listedMax).map(({ id, name, slug }) => ({ id, name, slug }));
    return [{ kind, entities, more: found.length > listedMax }];
  });
}
