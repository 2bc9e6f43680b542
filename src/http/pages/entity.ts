import { z } from 'zod';
import { type KindName, kindNames } from '../../kinds/kind.ts';
import { kinds } from '../../kinds/registry.ts';
import { causeText } from '../../lib/log.ts';
import { type EntityPage, identifierOf, type RelatedGroup, type SimilarEntity } from '../../pages/page.ts';
import type { Deps } from '../../ports.ts';
import type { EntityRecord, Fetched, RelatedEntity } from '../../records/ports.ts';
import { findSimilar } from '../../search/find-similar.ts';
import { seriesKinds, seriesOf } from '../../search/options/series.ts';
import { searchTools } from '../../search/ports.ts';
import { sendCalendar } from '../account/send-calendar.ts';
import type { Context } from '../context.ts';
import type { EndpointContext, Route } from '../endpoint.ts';
import { fetchRecord } from '../endpoints/records.ts';
import { ServiceUnavailable } from '../errors/errors.ts';
import { clientAborted } from '../server/on-finished.ts';
import type { PageHead } from './document.ts';
import { searchPath } from './search.ts';
import { canonicalOf, sendPage } from './send-page.ts';

const similarMax = 6;
/** Similar events include the other editions of the series, which are listed apart. */
const editionsMax = 40;

const listed = z
  .object({ id: z.int(), name: z.string(), slug: z.string(), start_date: z.string().nullable().default(null) })
  .transform(({ start_date: date, ...entity }) => ({ ...entity, date }));

/** Finds the similar entities of a page, or none if Elasticsearch fails or is late. */
type FindSimilarEntities = (id: number, ctx: Context) => Promise<readonly SimilarEntity[]>;

function similarEntities(deps: Deps, kind: KindName): FindSimilarEntities {
  // The wait includes a slot. The page also works without similar entities.
  const { indexPrefix, timeoutMs: waitMs } = deps.config.search;
  const [limit, fields] = seriesKinds.includes(kind)
    ? [editionsMax, ['name', 'slug', 'start_date']]
    : [similarMax, ['name', 'slug']];

  return async (id, ctx) => {
    const signal = AbortSignal.any([clientAborted(ctx), AbortSignal.timeout(waitMs)]);
    const release = await deps.limiters.searches.acquire(signal);
    if (release === null) return [];
    try {
      const tools = searchTools(deps.search, () => waitMs, { signal, vectors: deps.embeddings });
      const outcome = await findSimilar(
        { kind, id, slug: null, limit, fields, indexPrefix, vocabulary: deps.vocabulary },
        tools,
      );
      if (outcome.ok)
        return (outcome.found?.results ?? []).map((item) => ({ ...listed.parse(item), shared: item.shared }));
      const { reason, cause } = outcome;
      if (!clientAborted(ctx).aborted)
        ctx.state.log.warn({ kind, reason, cause: causeText(cause) }, 'similar entities are left out of a page');
      return [];
    } finally {
      release();
    }
  };
}

/** Maximum number of listed related entities of each kind. */
const listedMax = 500;

/** GET /{kind}/{id-or-slug} */
export function entityPage(kind: KindName): Route {
  return {
    method: 'get',
    path: `/${kind}/{identifier}`,
    // Reading a page is free. Its searches are limited by their slots.
    gates: ['slot', 'visitor', 'records slot'],
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

/** GET /events/{id-or-slug}/event.ics: the event for a calendar. */
export const eventCalendar: Route = {
  method: 'get',
  path: '/events/{identifier}/event.ics',
  gates: ['slot', 'visitor', 'records slot'],
  handler: (deps) => async (ctx) => {
    const event = await fetchRecord(deps, 'events', ctx.params.identifier ?? '');
    sendCalendar(ctx, deps, 'event.ics', [event]);
  },
};

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
  return {
    name: 'entity',
    backHref: backHref(ctx),
    kind,
    record,
    related: groups(fetchedValue(related)),
    ...separateEditions(kind, record, similar),
  };
}

/** Separates the other events of an event's series from those that are only similar. */
function separateEditions(kind: KindName, { name }: EntityRecord, found: readonly SimilarEntity[]) {
  const series = seriesKinds.includes(kind) ? seriesOf(String(name)) : null;
  const isEdition = (entity: SimilarEntity) => series !== null && seriesOf(entity.name) === series;
  return {
    editions: found.filter(isEdition),
    similar: found.filter((entity) => !isEdition(entity)).slice(0, similarMax),
  };
}

/** Returns the address of the search page that the browser comes from. */
function backHref(ctx: Context): string | null {
  const before = URL.parse(ctx.get('Referer'));
  return before?.host === ctx.host && before.pathname === searchPath ? `${searchPath}${before.search}` : null;
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
    const entities = found.slice(0, listedMax).map(({ id, name, slug, date }) => ({ id, name, slug, date }));
    return [{ kind, entities, more: found.length > listedMax }];
  });
}

/** Characters that search engines show. */
const descriptionMax = 160;

const nameOfKind = (kind: KindName): string => kinds[kind].singular.toLowerCase();

/** Returns the head of an entity's page, for search engines and link previews. */
function describeEntity({ kind, record }: EntityPage, canonical: string | null): PageHead {
  const name = text(record.name) ?? nameOfKind(kind);
  const summary = text(record.tagline) ?? text(record.headline) ?? text(record.overview);
  return {
    title: `${name}, ${nameOfKind(kind)}`,
    description: shortened(summary ?? `${name}, ${nameOfKind(kind)} in Web3: facts and connections.`),
    canonical,
  };
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

/** Returns the beginning of a text, up to the end of a word. */
function shortened(whole: string): string {
  const flat = whole.replace(/\s+/g, ' ').trim();
  const letters = Array.from(flat);
  if (letters.length <= descriptionMax) return flat;
  const start = letters.slice(0, descriptionMax - 1).join('');
  return `${start.slice(0, Math.max(start.lastIndexOf(' '), descriptionMax / 2))}…`;
}
