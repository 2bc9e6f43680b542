import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Refusal } from '../../../src/pages/page.ts';
import { apiPath } from '../account-api.ts';
import { counted, formatNumber } from '../format.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { ChipLink } from '../ui/chip.tsx';
import { EmptyState, ErrorNote, Note } from '../ui/notes.tsx';
import { Pagination } from '../ui/pagination.tsx';
import { partDays, partLabel, type Understood, withoutPart } from './question.ts';
import type { Found, SearchProgress } from './requests.ts';
import { ResultItem } from './result-item.tsx';
import { apiParams, countFilters, type SearchState, searchHref, withType } from './state.ts';

interface UnderstoodProps {
  readonly state: SearchState;
  readonly found: Found;
}

/** Shows the API's reading of a query as removable parts, or a button to turn it on. */
function UnderstoodParts({ state, found: { understood } }: UnderstoodProps) {
  if (state.literal)
    return (
      <section class="understood" aria-label="Interpretation">
        <span class="muted">Searching for the exact words.</span>
        <ButtonLink small tone="quiet" href={searchHref({ ...state, literal: false, page: 1 })}>
          Interpret as a question
        </ButtonLink>
      </section>
    );
  if (understood === null || understood.parts.length === 0) return null;
  return (
    <section class="understood" aria-label="Interpretation">
      <span class="muted">Interpreted as</span>
      <ul class="chips">
        {understood.parts.filter(isShown).map((part, at) => (
          <li key={`${at} ${part.text}`}>
            <ChipLink
              removes
              look={part.met ? 'plain' : 'unmet'}
              note={part.met ? partDays(part, understood) : part.as === 'ignored' ? 'ignored' : 'no match'}
              href={searchHref({ ...state, query: withoutPart(state.query, part), page: 1 })}
            >
              {part.met ? partLabel(part, understood) : part.text}
            </ChipLink>
          </li>
        ))}
      </ul>
      <ButtonLink small tone="quiet" href={searchHref({ ...state, literal: true, page: 1 })}>
        Search exact words
      </ButtonLink>
    </section>
  );
}

/** Words that all results have need no chip. */
function isShown({ as, met }: Understood['parts'][number]): boolean {
  return as !== 'words' || !met;
}

interface ResultsProps {
  readonly state: SearchState;
  readonly progress: SearchProgress;
  /** Further controls of the list. */
  readonly children: ComponentChildren;
}

export function Results({ state, progress, children }: ResultsProps) {
  const { busy, answered, found, refusal, retry } = progress;
  const isEmpty = found?.totalResults === 0;
  return (
    <>
      <div class="results-head">
        <p class={isEmpty ? 'visually-hidden' : 'results-count'} role="status">
          {countText(found)}
        </p>
        {found !== null && found.totalResults > 0 && <ExportLinks state={state} found={found} />}
        {!isEmpty && children}
      </div>
      {refusal !== null && <RefusalNote refusal={refusal} busy={busy} onRetry={retry} />}
      {found !== null && <UnderstoodParts state={state} found={found} />}
      {found?.understood?.note && <Note tone="warning">{found.understood.note}</Note>}
      {found !== null && found.totalResults > 0 && <GuessNote found={found} />}
      {isEmpty && <NothingFound state={answered} />}
      {found !== null && found.totalResults > 0 && found.results.length === 0 && (
        <NoSuchPage state={state} found={found} />
      )}
      {found !== null && found.results.length > 0 && <FoundList state={state} found={found} busy={busy} />}
    </>
  );
}

/** Describes approximate matches. */
function GuessNote({ found: { matchedBy, understood } }: { readonly found: Found }) {
  switch (matchedBy) {
    case 'strict':
      return null;
    case 'tolerant':
      return <Note tone="warning">No exact matches. Showing similar spellings.</Note>;
    case 'semantic':
      return understood?.parts.some(({ as, met }) => as === 'like' && met) ? (
        <Note>Results similar to “{understood.like}”</Note>
      ) : (
        <Note tone="warning">Few exact matches. Results with a similar meaning are included.</Note>
      );
    default:
      return matchedBy satisfies never;
  }
}

/** The largest number of results that the API returns at once. */
const exportMax = 100;

function ExportLinks({ state, found: { totalResults, understood } }: UnderstoodProps) {
  const params = apiParams({ ...state, page: 1 });
  params.set('limit', String(exportMax));
  const isOfEvents = state.type === 'events' || understood?.kinds.join() === 'events';
  const from = state.filters.starts_from?.[0] ?? understood?.time?.from;
  return (
    <p class="exports">
      <a download href={`${apiPath}/search.csv?${params}`}>
        {totalResults > exportMax ? `Export first ${exportMax} (CSV)` : 'Export CSV'}
      </a>
      {isOfEvents && from && (
        <a download href={`${apiPath}/search.ics?${params}`}>
          Add to calendar
        </a>
      )}
    </p>
  );
}

function countText(found: Found | null): string {
  if (found === null) return '';
  if (found.totalResults === 0) return 'No results';
  const isOnPage = found.totalPages > 1 && found.page <= found.totalPages;
  const pages = isOnPage ? `, page ${found.page} of ${formatNumber(found.totalPages)}` : '';
  return `${counted(found.totalResults, 'result')}${pages}`;
}

interface FoundListProps {
  readonly state: SearchState;
  readonly found: Found;
  readonly busy: boolean;
}

function FoundList({ state, found, busy }: FoundListProps) {
  return (
    <>
      <ol class="results" aria-busy={busy}>
        {found.results.map((item) => (
          <ResultItem
            key={`${item.entity_type} ${item.id}`}
            item={item}
            query={state.query}
            showKind={state.type === 'all'}
          />
        ))}
      </ol>
      <Pagination page={state.page} totalPages={found.totalPages} hrefOf={(page) => searchHref({ ...state, page })} />
    </>
  );
}

/** Answers an address with a page after the last. */
function NoSuchPage({ state, found: { totalPages } }: UnderstoodProps) {
  return (
    <EmptyState
      title={totalPages === 1 ? 'There is only one page' : `There are only ${formatNumber(totalPages)} pages`}
      action={<ButtonLink href={searchHref({ ...state, page: totalPages })}>Go to the last page</ButtonLink>}
    />
  );
}

function NothingFound({ state }: Pick<ResultsProps, 'state'>) {
  const filtered = countFilters(state) > 0;
  const wider = filtered ? { ...state, page: 1, filters: {} } : withType(state, 'all');
  const isWidest = !filtered && state.type === 'all';
  return (
    <EmptyState
      title={state.query === '' ? 'No results for these filters' : `No results for “${state.query}”`}
      action={
        !isWidest && (
          <ButtonLink href={searchHref(wider)}>
            {filtered ? 'Search without filters' : 'Search all categories'}
          </ButtonLink>
        )
      }
    >
      {filtered ? 'Try removing some filters.' : 'Check the spelling or use fewer words.'}
    </EmptyState>
  );
}

interface RefusalNoteProps {
  readonly refusal: Refusal;
  readonly busy: boolean;
  readonly onRetry: () => void;
}

/** The error of a search. If the server sent Retry-After, the seconds are counted down. */
function RefusalNote({ refusal, busy, onRetry }: RefusalNoteProps) {
  const seconds = useCountdown(refusal.retryAfterSeconds ?? 0, refusal);
  const signIn = <ButtonLink href="/account/sign-in">Sign in</ButtonLink>;
  if (refusal.status === 401)
    return <ErrorNote action={signIn}>Sign in to search, or use the API with a key.</ErrorNote>;
  const retry = (
    <Button disabled={seconds > 0} busy={busy} onClick={onRetry}>
      {seconds > 0 ? `Try again in ${seconds} s` : 'Try again'}
    </Button>
  );
  if (refusal.status === 429)
    return (
      <ErrorNote
        action={
          <>
            {retry}
            {signIn}
          </>
        }
      >
        Too many searches. Wait a moment, or sign in for a higher limit.
      </ErrorNote>
    );
  const message = refusal.status >= 500 ? 'Search is not available right now. Try again in a moment.' : refusal.message;
  return <ErrorNote action={refusal.status === 400 ? undefined : retry}>{message}</ErrorNote>;
}

/** Returns the seconds that are left. The countdown restarts when `of` changes. */
function useCountdown(fromSeconds: number, of: unknown): number {
  const [left, setLeft] = useState(fromSeconds);
  useEffect(() => {
    const endsMs = performance.now() + fromSeconds * 1_000;
    setLeft(fromSeconds);
    if (fromSeconds <= 0) return;
    const timer = setInterval(() => setLeft(Math.max(0, Math.ceil((endsMs - performance.now()) / 1_000))), 250);
    return () => clearInterval(timer);
  }, [fromSeconds, of]);
  return left;
}
