import { aliasName, kindOfIndex } from '../../kinds/index-names.ts';
import type { KindName } from '../../kinds/kind.ts';
import { causeText } from '../../lib/log.ts';
import { openCursor } from '../../search/pagination/cursor.ts';
import { type WalkPort, walk } from '../../search/pagination/cursor-page.ts';
import type { SearchQuery } from '../../search/query.ts';
import { CursorExpired, InvalidCursor } from '../errors/errors.ts';
import { asker, type Failure, failed, type Page, paged, type SearchDeps, timer } from './execute-search.ts';
import type { OpenWalks, WalkPlace } from './open-cursors.ts';

/** For closing what no answer waits for any more. */
const closeTimeoutMs = 2_000;

/** Who walks, and where the walks of all are counted. */
export interface Walker {
  readonly account: number;
  readonly walks: OpenWalks;
}

/**
 * The page at a cursor, one search and what it needs to open or close its point in time under one deadline. A point in
 * time that was opened for nothing is closed: the search in it failed, or the caller went before the answer had left.
 * Throws `InvalidCursor` and `CursorExpired`, `TooManyWalks`, and `SearchFailed` as `askSearch` does.
 */
export async function askWalk(
  deps: SearchDeps,
  query: SearchQuery,
  cursorText: string,
  { account, walks }: Walker,
  signal: AbortSignal,
): Promise<Page> {
  const { cursorSecret, cursorKeepAliveMs } = deps.config.search;
  const opened = openCursor(cursorText, query, deps.vocabulary, cursorSecret);
  if (!opened.ok) throw opened.problem === 'invalid' ? new InvalidCursor() : new CursorExpired();
  const { cursor } = opened;
  const place = cursor.pointInTime === null ? walks.begin(account) : walks.goOn(account, cursor.pointInTime);
  const port = walkPort(deps, place, signal);
  const outcome = await walk(query, cursor, port, cursorKeepAliveMs, deps.vocabulary);
  if (outcome.ok) {
    const next = outcome.next?.pointInTime ?? null;
    if (next !== null) place.become(next);
    // Nobody has the cursor that names it.
    if (cursor.pointInTime === null && next !== null) whenAborted(signal, () => port.abandonPointInTime(next));
    return paged(deps, query, outcome);
  }
  // The point in time is gone, or the generation that it or the page before it was of.
  if ('status' in outcome && outcome.status === 404) {
    place.leave();
    throw new CursorExpired(outcome.cause);
  }
  throw failed(outcome);
}

function whenAborted(signal: AbortSignal, callback: () => void): void {
  if (signal.aborted) callback();
  else signal.addEventListener('abort', callback, { once: true });
}

function walkPort(deps: SearchDeps, place: WalkPlace, signal: AbortSignal): WalkPort<Failure> {
  const { indexPrefix } = deps.config.search;
  const leftMs = timer(deps);
  const indexOf = (kind: KindName, generations: readonly string[]) =>
    generations.find((generation) => kindOfIndex(generation) === kind) ?? aliasName(indexPrefix, kind);

  async function close(id: string, timeoutMs: number): Promise<void> {
    const closed = await deps.search.closePointInTime({ id, timeoutMs });
    // What was not closed closes itself, and keeps its place until then.
    if (closed.ok) place.leave();
    else deps.log.warn({ reason: closed.reason, cause: causeText(closed.cause) }, 'point in time left open');
  }

  return {
    ask: asker(deps, signal, leftMs),
    // Not given up when the caller goes: what Elasticsearch opens all the same, nobody could close.
    async openPointInTime(kinds, generations, keepAliveMs) {
      const indices = kinds.map((kind) => indexOf(kind, generations));
      const opened = await deps.search.openPointInTime({ indices, keepAliveMs, timeoutMs: Math.max(1, leftMs()) });
      if (opened.ok) place.become(opened.id);
      // Too late to be answered may be early enough to be done.
      else if (opened.reason !== 'timeout') place.leave();
      return opened;
    },
    closePointInTime: (id) => close(id, Math.max(1, leftMs())),
    abandonPointInTime(id) {
      close(id, closeTimeoutMs).catch((err: unknown) => deps.log.error({ err }, 'point in time left open'));
    },
  };
}
