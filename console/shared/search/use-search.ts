import { useEffect, useState } from 'preact/hooks';
import type { Refusal } from '../account-api.ts';
import { type Found, fetchSearch } from './requests.ts';
import { pageParams, type SearchState } from './state.ts';

/** The progress of a search. During a search, the earlier results stay visible. */
export interface SearchProgress {
  readonly busy: boolean;
  readonly found: Found | null;
  readonly refusal: Refusal | null;
}

/** Searches when the state changes, and again when `retry` is called. */
export function useSearch(state: SearchState): SearchProgress & { readonly retry: () => void } {
  const [progress, setProgress] = useState<SearchProgress>({ busy: true, found: null, refusal: null });
  const [attempt, setAttempt] = useState(0);
  const asked = pageParams(state).toString();
  useEffect(() => {
    const aborting = new AbortController();
    setProgress((before) => ({ ...before, busy: true }));
    fetchSearch(new URLSearchParams(asked), aborting.signal).then(
      (answer) =>
        setProgress({ busy: false, found: answer.ok ? answer.data : null, refusal: answer.ok ? null : answer }),
      // The request was aborted by another search, or the page was left.
      () => undefined,
    );
    return () => aborting.abort();
  }, [asked, attempt]);
  return { ...progress, retry: () => setAttempt((count) => count + 1) };
}
