import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, get } from '../../shared/account-api.ts';
import { refreshEndedSession } from '../session.ts';
import { SigningError } from './signing/wallet-list.ts';

/**
 * Returns the message to show for a failure. If the server no longer accepts the session, refreshes it: the layout then
 * opens the sign-in page.
 */
export async function failureText(cause: unknown): Promise<string> {
  if (cause instanceof ApiError && cause.code === 'not_signed_in') await refreshEndedSession();
  if (cause instanceof ApiError || cause instanceof SigningError) return cause.message;
  // A bug, or a part of the page that could not be loaded: the browser's console has it.
  reportError(cause);
  return 'Something went wrong. Reload the page, then try again.';
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
  /**
   * Runs one change at a time; a call during another one is ignored. Resolves to true if the change succeeded.
   * @param change checks `isCurrent` before a step that must not follow a cancellation
   */
  readonly run: (change: (isCurrent: () => boolean) => Promise<void>) => Promise<boolean>;
  /** Drops the running change, as leaving the page does. */
  readonly cancel: () => void;
}

export function useAction(): Action {
  const [state, setState] = useState<Pick<Action, 'busy' | 'error'>>({ busy: false, error: null });
  const running = useRef<object | null>(null);
  const cancel = useCallback(() => {
    running.current = null;
    setState({ busy: false, error: null });
  }, []);
  const run = useCallback<Action['run']>(async (change) => {
    if (running.current !== null) return false;
    const mine = {};
    const isCurrent = () => running.current === mine;
    running.current = mine;
    setState({ busy: true, error: null });
    let error: string | null = null;
    try {
      await change(isCurrent);
    } catch (cause) {
      error = await failureText(cause);
    }
    if (!isCurrent()) return false;
    running.current = null;
    setState({ busy: false, error });
    return error === null;
  }, []);
  useEffect(() => cancel, []);
  return { ...state, run, cancel };
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
