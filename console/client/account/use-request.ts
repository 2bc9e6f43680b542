import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api.ts';
import { refreshSession } from '../session.ts';
import { PasskeyError } from './signing/passkeys.ts';
import { WalletError } from './signing/wallets.ts';

/**
 * Returns the message to show for a failure. If the server no longer accepts the session, refreshes it: the layout then
 * opens the sign-in page.
 */
export async function failureText(cause: unknown): Promise<string> {
  if (cause instanceof ApiError && cause.code === 'not_signed_in') await refreshSession();
  if (cause instanceof ApiError || cause instanceof WalletError || cause instanceof PasskeyError) return cause.message;
  // A bug, or a part of the page that could not be loaded: the browser's console has it.
  reportError(cause);
  return 'Something went wrong in this page. Reload it, then try again.';
}

/** The state of a request. */
export interface Loaded<Data> {
  /** The earlier data stays during a reload, so that the page does not jump. */
  readonly data: Data | null;
  readonly error: string | null;
  readonly loading: boolean;
  readonly reload: () => void;
}

/** Loads at first, when `of` changes, and when `reload` is called. A late answer to an earlier request is dropped. */
export function useLoaded<Data>(load: () => Promise<Data>, of: string | number = ''): Loaded<Data> {
  const [state, setState] = useState<Omit<Loaded<Data>, 'reload'>>({ data: null, error: null, loading: true });
  const latest = useRef(load);
  latest.current = load;
  const turn = useRef(0);
  const reload = useCallback(() => {
    turn.current += 1;
    const mine = turn.current;
    setState(({ data }) => ({ data, error: null, loading: true }));
    latest.current().then(
      (data) => mine === turn.current && setState({ data, error: null, loading: false }),
      async (cause: unknown) => {
        if (mine !== turn.current) return;
        const error = await failureText(cause);
        setState(({ data }) => ({ data, error, loading: false }));
      },
    );
  }, []);
  // `of` identifies the data; `reload` never changes.
  useEffect(() => {
    reload();
    return () => {
      turn.current += 1;
    };
  }, [of]);
  return { ...state, reload };
}

/** The state of a change that a button or a form starts. */
export interface Action {
  readonly busy: boolean;
  readonly error: string | null;
  /** Runs one change at a time; a call during another one is ignored. Resolves to true if the change succeeded. */
  readonly run: (change: () => Promise<void>) => Promise<boolean>;
  readonly clear: () => void;
}

export function useAction(): Action {
  const [state, setState] = useState<Omit<Action, 'run' | 'clear'>>({ busy: false, error: null });
  const busy = useRef(false);
  const run = useCallback(async (change: () => Promise<void>) => {
    if (busy.current) return false;
    busy.current = true;
    setState({ busy: true, error: null });
    try {
      await change();
      setState({ busy: false, error: null });
      return true;
    } catch (cause) {
      setState({ busy: false, error: await failureText(cause) });
      return false;
    } finally {
      busy.current = false;
    }
  }, []);
  const clear = useCallback(() => setState({ busy: false, error: null }), []);
  return { ...state, run, clear };
}

/** One page of a list, and the cursor of the next page; null after the last. */
interface ListPage<Row, Cursor extends string | number> {
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
