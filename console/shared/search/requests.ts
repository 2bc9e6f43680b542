import { useEffect, useState } from 'preact/hooks';
import type { KindName } from '../../../src/kinds/kind.ts';
import type { Refusal, SearchPage } from '../../../src/pages/page.ts';
import { ApiError, get } from '../account-api.ts';
import type { FilterName } from './options.ts';
import type { Understood } from './question.ts';
import { pageParams, type SearchState } from './state.ts';

export interface Item extends Readonly<Record<string, unknown>> {
  readonly entity_type: KindName;
  readonly id: number;
  readonly name: string;
  readonly slug?: string;
  /** The matches by field: fragments of escaped text with the matches in `<em>`. */
  readonly highlight?: Readonly<Record<string, readonly string[] | undefined>>;
  /** The other editions of an event's series, the newest first. */
  readonly editions?: readonly Edition[];
}

export interface Edition {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly year: number | null;
  readonly start_date: string | null;
}

export interface FacetValue {
  readonly value: string | boolean;
  readonly count: number;
}

export interface Found {
  readonly results: readonly Item[];
  readonly totalResults: number;
  readonly totalPages: number;
  readonly page: number;
  readonly matchedBy: 'strict' | 'tolerant' | 'semantic';
  /** Null if the query was only searched for its words. */
  readonly understood: Understood | null;
  readonly facets?: Readonly<Partial<Record<FilterName | 'entity_type', readonly FacetValue[]>>>;
}

export interface Suggestion {
  readonly entity_type: KindName;
  readonly id: number;
  readonly name: string;
  readonly slug: string;
}

/** The progress of a search. During a search, the earlier answer stays visible. */
export interface SearchProgress {
  readonly busy: boolean;
  /** The search that `found` or `refusal` answers. */
  readonly answered: SearchState;
  readonly found: Found | null;
  readonly refusal: Refusal | null;
  readonly retry: () => void;
}

/**
 * Searches when the state changes, and again when `retry` is called.
 * @param page its answer, if it has one, is that of the first search
 */
export function useSearch(state: SearchState, page: SearchPage): SearchProgress {
  const [attempt, setAttempt] = useState(0);
  const asked = `${attempt} ${pageParams(state)}`;
  // Written by the process whose API the other searches use.
  const known = { asked, answered: state, found: page.found as Found | null, refusal: page.refusal };
  const [answer, setAnswer] = useState(known);
  useEffect(() => {
    if (attempt === 0 && (page.found ?? page.refusal) !== null) return setAnswer(known);
    const aborting = new AbortController();
    get<Found>(`search?${pageParams(state)}`, aborting.signal).then(
      (found) => setAnswer({ asked, answered: state, found, refusal: null }),
      (error: unknown) => {
        // Other errors: the request was aborted by another search, or the page was left.
        if (error instanceof ApiError) setAnswer({ asked, answered: state, found: null, refusal: error });
      },
    );
    return () => aborting.abort();
  }, [asked]);
  const { answered, found, refusal } = answer;
  return { busy: answer.asked !== asked, answered, found, refusal, retry: () => setAttempt((count) => count + 1) };
}
