import { useState } from 'preact/hooks';
import { useAction } from './use-request.ts';

/** A list that grows by a page at a time. */
export interface More<Row> {
  readonly rows: readonly Row[];
  readonly busy: boolean;
  readonly error: string | null;
  /** Null where there is no more. */
  readonly load: (() => void) | null;
}

/**
 * @param first the rows of the first page; when they are others, the list begins anew
 * @param next where the second page begins; null where there is none
 */
export function useMore<Row, Cursor>(
  first: readonly Row[],
  next: Cursor | null,
  loadPage: (after: Cursor) => Promise<{ readonly rows: readonly Row[]; readonly next: Cursor | null }>,
): More<Row> {
  const [grown, setGrown] = useState({ first, rows: first, next });
  const { busy, error, run } = useAction();
  const state = grown.first === first ? grown : { first, rows: first, next };
  const after = state.next;
  const load = () =>
    void run(async () => {
      if (after === null) return;
      const page = await loadPage(after);
      setGrown({ first, rows: [...state.rows, ...page.rows], next: page.next });
    });
  return { rows: state.rows, busy, error, load: after === null ? null : load };
}
