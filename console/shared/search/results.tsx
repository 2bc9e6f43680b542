import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ApiError } from '../account-api.ts';
import { counted, formatNumber } from '../format.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { RemovableChip } from '../ui/chip.tsx';
import { EmptyState, ErrorNote, Note, Skeleton, Spinner } from '../ui/notes.tsx';
import { Pagination } from '../ui/pagination.tsx';
import { partDays, partLabel, withoutPart } from './question.ts';
import type { Found, useSearch } from './requests.ts';
import { ResultItem } from './result-item.tsx';
import { countFilters, type SearchState, searchHref } from './state.ts';

interface UnderstoodProps {
  readonly state: SearchState;
  readonly found: Found;
  readonly onChange: (next: SearchState) => void;
}

/** Shows the API's reading of a query as removable parts, or a button to turn it on. */
function UnderstoodParts({ state, found: { understood }, onChange }: UnderstoodProps) {
  if (state.literal)
    return (
      <section class="understood" aria-label="Interpretation">
        <span class="muted">Searching for the exact words.</span>
        <Button small tone="quiet" onClick={() => onChange({ ...state, literal: false, page: 1 })}>
          Interpret as a question
        </Button>
      </section>
    );
  if (understood === null || understood.parts.length === 0) return null;
  return (
    <section class="understood" aria-label="Interpretation">
      <span class="muted">Interpreted as</span>
      <ul class="chips">
        {understood.parts.map((part, at) => (
          <li key={`${at} ${part.text}`}>
            <RemovableChip
              note={part.met ? partDays(part, understood) : 'no match'}
              onRemove={() => onChange({ ...state, query: withoutPart(state.query, part), page: 1 })}
            >
              {partLabel(part, understood)}
            </RemovableChip>
          </li>
        ))}
      </ul>
      <Button small tone="quiet" onClick={() => onChange({ ...state, literal: true, page: 1 })}>
        Search exact words
      </Button>
    </section>
  );
}

interface ResultsProps {
  readonly state: SearchState;
  readonly progress: ReturnType<typeof useSearch>;
  readonly sort: ComponentChildren;
  readonly onChange: (next: SearchState) => void;
}

export function Results({ state, progress, sort, onChange }: ResultsProps) {
  const { busy, found, refusal, retry } = progress;
  return (
    <>
      <div class="results-head">
        <p class="results-count" role="status">
          {busy && found === null ? <Spinner label="Searching" /> : countText(found)}
        </p>
        {sort}
      </div>
      {refusal !== null && <RefusalNote key={refusal.code} refusal={refusal} onRetry={retry} />}
      {found !== null && <UnderstoodParts state={state} found={found} onChange={onChange} />}
      {found?.understood?.note && <Note tone="warning">{found.understood.note}</Note>}
      {found !== null && found.totalResults > 0 && <GuessNote found={found} />}
      {found === null && refusal === null && (
        <>
          <noscript>
            <p>Turn on JavaScript to search here, or use the API.</p>
          </noscript>
          <Skeleton lines={12} />
        </>
      )}
      {found !== null && found.totalResults === 0 && <NothingFound state={state} onChange={onChange} />}
      {found !== null && found.totalResults > 0 && found.results.length === 0 && <NoSuchPage state={state} />}
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
          <ResultItem key={`${item.entity_type} ${item.id}`} item={item} showKind={state.type === 'all'} />
        ))}
      </ol>
      <Pagination page={state.page} totalPages={found.totalPages} hrefOf={(page) => searchHref({ ...state, page })} />
    </>
  );
}

function NoSuchPage({ state }: Pick<ResultsProps, 'state'>) {
  return (
    <EmptyState
      title={`There is no page ${formatNumber(state.page)}`}
      action={<ButtonLink href={searchHref({ ...state, page: 1 })}>First page</ButtonLink>}
    />
  );
}

function NothingFound({ state, onChange }: Pick<ResultsProps, 'state' | 'onChange'>) {
  const filtered = countFilters(state) > 0;
  return (
    <EmptyState
      title={state.query === '' ? 'No results for these filters' : `No results for “${state.query}”`}
      action={
        filtered && <Button onClick={() => onChange({ ...state, page: 1, filters: {} })}>Search without filters</Button>
      }
    >
      {filtered ? 'Try removing some filters.' : 'Try other words or another category.'}
    </EmptyState>
  );
}

interface RefusalNoteProps {
  readonly refusal: ApiError;
  readonly onRetry: () => void;
}

/** The error of a search. If the server sent Retry-After, the seconds are counted down. */
function RefusalNote({ refusal, onRetry }: RefusalNoteProps) {
  const seconds = useCountdown(refusal.retryAfterSeconds ?? 0, refusal);
  if (refusal.status === 401)
    return (
      <ErrorNote action={<ButtonLink href="/account/sign-in">Sign in</ButtonLink>}>
        Sign in to search, or use the API with a key.
      </ErrorNote>
    );
  const retry = (
    <Button disabled={seconds > 0} onClick={onRetry}>
      {seconds > 0 ? `Try again in ${seconds} s` : 'Try again'}
    </Button>
  );
  if (refusal.status === 429)
    return (
      <ErrorNote action={retry}>
        Too many searches. Wait a moment, or <a href="/account/sign-in">sign in</a> for a higher limit.
      </ErrorNote>
    );
  return <ErrorNote action={refusal.status === 400 ? undefined : retry}>{refusal.message}</ErrorNote>;
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
