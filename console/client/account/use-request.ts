import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, get } from '../api.ts';
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
interface Action {
  readonly busy: boolean;
  readonly error: string | null;
  /** Runs one change at a time; a call during another one is ignored. Resolves to true if the change succeeded. */
  readonly run: (change: () => Promise<void>) => Promise<boolean>;
}

export function useAction(): Action {
  const [state, setState] = useState<Omit<Action, 'run'>>({ busy: false, error: null });
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
  return { ...state, run };
}

/** A page of a list, with the cursor of the next page; null after the last. */
interface ListPage {
  readonly next: string | number | null;
}

export interface More<Row> {
  readonly first: Loaded<ListPage>;
  /** The rows of all loaded pages. */
  readonly rows: readonly Row[];
  readonly busy: boolean;
  readonly error: string | null;
  /** Null if there is no more. */
  readonly load: (() => void) | null;
}

/**
 * Loads the first page, and further ones on demand. The list begins again when its first page is loaded again.
 * @param path with its query; the parameter `cursor` is added for further pages
 * @param of identifies the list; it is loaded again when this changes
 */
export function useMore<Page extends ListPage, Row>(
  path: string,
  cursor: 'before' | 'after',
  rowsOf: (page: Page) => readonly Row[],
  of: string | number = path,
): More<Row> {
  const first = useLoaded(() => get<Page>(path), of);
  const [further, setFurther] = useState<{ readonly of: Page | null; readonly pages: readonly Page[] }>();
  const { busy, error, run } = useAction();
  const pages = further?.of === first.data ? (further?.pages ?? []) : [];
  const all = first.data === null ? [] : [first.data, ...pages];
  const next = all.at(-1)?.next ?? null;
  const load = () =>
    void run(async () => {
      const page = await get<Page>(`${path}&${cursor}=${next}`);
      setFurther({ of: first.data, pages: [...pages, page] });
    });
  return { first, rows: all.flatMap(rowsOf), busy, error, load: next === null ? null : load };
}
