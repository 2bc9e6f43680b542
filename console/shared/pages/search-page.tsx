import { useRef } from 'preact/hooks';
import type { SearchPage, Site } from '../../../src/pages/page.ts';
import { formatNumber } from '../format.ts';
import { kindWords } from '../kinds.ts';
import { navigate, useTitle } from '../navigation.ts';
import { SearchBox } from '../search/box/search-box.tsx';
import { Filters } from '../search/filters.tsx';
import { type SearchType, searchTypes, sortsOf } from '../search/options.ts';
import { kindCountIs } from '../search/question.ts';
import { type SearchProgress, useSearch } from '../search/requests.ts';
import { Results } from '../search/results.tsx';
import { ApiRequest } from '../search/snippets.tsx';
import { apiParams, countFilters, parseSearchState, type SearchState, searchHref, withType } from '../search/state.ts';
import { Tabs } from '../ui/tabs.tsx';

/** The number of results of each kind, such as `64+` for a minimum. */
type KindCounts = ReadonlyMap<unknown, string>;

/** A kind and the number of its results, if it is known and not 0: searched alone, a kind may have close matches. */
function TypeLabel({ type, counts }: { readonly type: SearchType; readonly counts: KindCounts }) {
  const count = counts.get(type);
  return (
    <>
      {type === 'all' ? 'All' : kindWords[type].many}
      {count !== undefined && <span class="tab-count"> {count}</span>}
    </>
  );
}

/** Returns the results of each kind, counted by the last search of all kinds, if that was otherwise the same. */
function useKindCounts(state: SearchState, { answered, found }: SearchProgress): KindCounts {
  const counted = useRef<{ readonly of: string; readonly counts: KindCounts }>({ of: '', counts: new Map() });
  if (answered.type === 'all' && found !== null) {
    const is = kindCountIs(answered.query, found.understood?.parts ?? [], found.matchedBy);
    const values = is === null ? [] : (found.facets?.entity_type ?? []);
    const counts = values.map(
      ({ value, count }) => [value, `${formatNumber(count)}${is === 'minimum' ? '+' : ''}`] as const,
    );
    counted.current = { of: searchHref(withType(answered, 'all')), counts: new Map(counts) };
  }
  const all = withType(state, 'all');
  const isSame = countFilters(all) === countFilters(state) && searchHref(all) === counted.current.of;
  return isSame ? counted.current.counts : new Map();
}

/** The search page: kinds as tabs, filters, results, and the same request as code. */
export function SearchView({ site, page }: { readonly site: Site; readonly page: SearchPage }) {
  const state = parseSearchState(page.queryString);
  const progress = useSearch(state, page);
  useTitle(searchTitle(state));
  const counts = useKindCounts(state, progress);
  const go = (next: SearchState): void => navigate(searchHref(next));

  return (
    <div class="page search-page">
      <h1 class="visually-hidden">{searchTitle(state)}</h1>
      <SearchBox
        query={state.query}
        type={state.type}
        // Another question may be understood again.
        onSearch={(query) => go({ ...state, query, page: 1, literal: state.literal && query === state.query })}
      />
      <Tabs
        label="Category"
        tabs={searchTypes.map((type) => ({ name: type, label: <TypeLabel type={type} counts={counts} /> }))}
        selected={state.type}
        hrefOf={(type) => searchHref(withType(state, type))}
        onSelect={(type) => go(withType(state, type))}
      >
        <div class="search-columns">
          <Filters state={state} progress={progress} onChange={go} />
          <section class="search-results" aria-labelledby="results">
            <h2 class="visually-hidden" id="results">
              Results
            </h2>
            <Results state={state} progress={progress}>
              <ApiRequest origin={site.origin} request={{ path: '/api/v1/search', params: apiParams(state) }}>
                <p class="small muted">
                  You need an <a href="/account/keys">API key</a>. The <a href="/docs">documentation</a> lists all
                  parameters.
                </p>
              </ApiRequest>
              <SortChoice state={state} onChange={go} />
            </Results>
          </section>
        </div>
      </Tabs>
    </div>
  );
}

/** Returns the title of the browser's tab. */
export function searchTitle({ query, type }: SearchState): string {
  const kind = type === 'all' ? 'Search' : kindWords[type].many;
  return query === '' ? kind : `${query} – ${kind}`;
}

interface SortChoiceProps {
  readonly state: SearchState;
  readonly onChange: (next: SearchState) => void;
}

function SortChoice({ state, onChange }: SortChoiceProps) {
  return (
    <label class="sort-choice">
      <span>Sort</span>
      <select value={state.sort} onChange={(event) => onChange({ ...state, page: 1, sort: event.currentTarget.value })}>
        {sortsOf(state.type).map(([sort, label]) => (
          <option key={sort} value={sort} selected={sort === state.sort}>
            {sort === 'relevance' && state.query === '' ? 'Most prominent' : label}
          </option>
        ))}
      </select>
    </label>
  );
}
