import { useState } from 'preact/hooks';
import { type Loaded, useAction, useLoaded } from './use-request.ts';

/** One page of a list, and the cursor of the next page; null after the last. */
export interface ListPage<Row, Cursor extends string | number> {
  readonly rows: readonly Row[];
  readonly next: Cursor | null;
}

export interface More<Row, Cursor extends string | number> {
  readonly first: Loaded<ListPage<Row, Cursor>>;
  /** The rows of all loaded pages. */
  readonly rows: readonly Row[];
  readonly busy: boolean;
  readonly error: string | null;
  /** Null if there is no more. */
  readonly load: (() => void) | null;
}

/**
 * Loads the first page, and further ones on demand. The list begins again when its first page is loaded again.
 * @param of the list's subject; the list is loaded again when it changes
 */
export function useMore<Row, Cursor extends string | number>(
  loadPage: (after?: Cursor) => Promise<ListPage<Row, Cursor>>,
  of: string | number = '',
): More<Row, Cursor> {
  const first = useLoaded(() => loadPage(), of);
  const begun = { of: first.data, ...(first.data ?? { rows: [], next: null }) };
  const [grown, setGrown] = useState(begun);
  const { busy, error, run } = useAction();
  const state = grown.of === first.data ? grown : begun;
  const after = state.next;
  const load = () =>
    void run(async () => {
      if (after === null) return;
      const page = await loadPage(after);
      setGrown({ of: state.of, rows: [...state.rows, ...page.rows], next: page.next });
    });
  return { first, rows: state.rows, busy, error, load: after === null ? null : load };
}
