import { aliasName, kindOfIndex } from '../../kinds/index-names.ts';
import { causeText } from '../../lib/log.ts';
import type { CursorSlot, OpenCursors } from '../../ports.ts';
import { type Cursor, cursorPageBody, decodeCursor, toCursorPage } from '../../search/cursor.ts';
import { type SearchFailure, searchTools } from '../../search/ports.ts';
import { type PreparedQuery, prepareQuery, type SearchBody, type SearchQuery } from '../../search/query.ts';
import { invalidReply, pagedFilterPath, parseRawResponse } from '../../search/response.ts';
import { CursorExpired, InvalidCursor, SearchFailed } from '../errors/errors.ts';
import { deadline, queryContext, type SearchData, type SearchDeps, toSearchData } from './search-page.ts';

const closeTimeoutMs = 2_000;

/** The state of one request with a cursor. */
interface Pagination {
  readonly deps: SearchDeps;
  readonly slot: CursorSlot;
  readonly signal: AbortSignal;
  readonly leftMs: () => number;
}

/**
 * Returns the page at a cursor: one search in a point in time, which is opened for the first cursor and closed after
 * the last page. It is also closed if its first search fails, or if the caller leaves before the response. All requests
 * share one deadline. Throws `InvalidCursor`, `CursorExpired`, `TooManyCursors` and `SearchFailed`.
 */
export async function paginate(
  deps: SearchDeps,
  query: SearchQuery,
  cursorText: string,
  { account, openCursors }: { readonly account: number; readonly openCursors: OpenCursors },
  signal: AbortSignal,
): Promise<SearchData> {
  const cursor = decodeCursor(cursorText, query, deps.config.search.cursorSecret);
  if (cursor === null) throw new InvalidCursor();
  const prepared = prepareQuery(query, queryContext(deps), cursor);
  const body = cursorPageBody(prepared, cursor);
  if (body === null) throw new CursorExpired();
  const slot = openCursors.acquire(account, cursor.pointInTime);
  const pagination = { deps, slot, signal, leftMs: deadline(deps) };
  const opened = cursor.pointInTime ?? (await openPointInTime(pagination, prepared, cursor));
  const isFirst = cursor.pointInTime === null;
  try {
    const page = toCursorPage(prepared, cursor, await searchAt(pagination, body, opened));
    const { pointInTime } = page;
    if (page.next === null) await closePointInTime(pagination, pointInTime, Math.max(1, pagination.leftMs()));
    else {
      slot.assign(pointInTime);
      // If the caller leaves now, no one has the cursor for this point in time.
      if (isFirst) whenAborted(signal, () => abandonPointInTime(pagination, pointInTime));
    }
    return toSearchData(deps, query, { ok: true, ...page });
  } catch (error) {
    if (isFirst) abandonPointInTime(pagination, opened);
    throw error;
  }
}

async function searchAt({ deps, slot, signal, leftMs }: Pagination, body: SearchBody, pointInTime: string) {
  const pit = { id: pointInTime, keep_alive: `${deps.config.search.cursorKeepAliveMs}ms` };
  const { send } = searchTools(deps.search, leftMs, { signal });
  const reply = await send({ indices: [], body: { ...body, pit }, filterPath: pagedFilterPath });
  if (!reply.ok) throw errorOf(reply, slot);
  const raw = parseRawResponse(reply.body);
  if (raw === null) throw errorOf(invalidReply, slot);
  return { ...raw, pit_id: raw.pit_id ?? pointInTime };
}

/** Opens a point in time on the generations of the page before, and on the live index of kinds without one. */
async function openPointInTime(
  { deps, slot, leftMs }: Pagination,
  { kinds }: PreparedQuery,
  { shown }: Cursor,
): Promise<string> {
  const { indexPrefix, cursorKeepAliveMs: keepAliveMs } = deps.config.search;
  const indices = kinds.map(
    (kind) => Object.keys(shown).find((generation) => kindOfIndex(generation) === kind) ?? aliasName(indexPrefix, kind),
  );
  // Not cancelled when the caller leaves, because a point in time that was opened anyway could not be closed.
  const opened = await deps.search.openPointInTime({ indices, keepAliveMs, timeoutMs: Math.max(1, leftMs()) });
  if (opened.ok) {
    slot.assign(opened.id);
    return opened.id;
  }
  // After a timeout, Elasticsearch may still open it.
  if (opened.reason !== 'timeout') slot.release();
  throw errorOf(opened, slot);
}

/** Returns the error for a failure. A 404 means that the point in time or its index no longer exists. */
function errorOf({ reason, status, cause }: SearchFailure, slot: CursorSlot): Error {
  if (status !== 404) return new SearchFailed(reason, cause);
  slot.release();
  return new CursorExpired(cause);
}

async function closePointInTime({ deps, slot }: Pagination, id: string, timeoutMs: number): Promise<void> {
  const closed = await deps.search.closePointInTime({ id, timeoutMs });
  // A point in time that was not closed expires, and keeps its slot until then.
  if (closed.ok) slot.release();
  else deps.log.warn({ reason: closed.reason, cause: causeText(closed.cause) }, 'point in time left open');
}

function abandonPointInTime(pagination: Pagination, id: string): void {
  closePointInTime(pagination, id, closeTimeoutMs).catch((err: unknown) => {
    pagination.deps.log.error({ err }, 'point in time left open');
  });
}

function whenAborted(signal: AbortSignal, callback: () => void): void {
  if (signal.aborted) callback();
  else signal.addEventListener('abort', callback, { once: true });
}
