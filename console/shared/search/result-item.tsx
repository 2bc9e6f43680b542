import type { ComponentChildren } from 'preact';
import { counted, daysText } from '../format.ts';
import { entityHref, kindWords } from '../kinds.ts';
import { Monogram } from '../monogram.tsx';
import { fieldsOf, hostOf, labelOf, numberOf, objectsOf, placeOf, textOf, textsOf, webAddress } from '../record.ts';
import { parseHighlight, plainText } from './highlight.ts';
import type { Edition, Item } from './requests.ts';

const tagsShown = 5;

interface ResultItemProps {
  readonly item: Item;
  readonly query: string;
  readonly showKind: boolean;
}

/** One result: its name and kind, key facts, and the text that matched. */
export function ResultItem({ item, query, showKind }: ResultItemProps) {
  const { entity_type: kind, name } = item;
  const marked = marksOf(item);
  const summary = marked('overview')[0] ?? marked('short')[0];
  const overview = textOf(item, 'overview');
  const facts = factsOf(item);
  const otherName = marked('names').find((fragment) => plainText(fragment) !== name);
  const relation = marked('relations')[0];
  const website = Object.keys(item.highlight ?? {}).length === 0 ? markedHost(item, query) : undefined;
  // Only names and addresses of an entity match without a fragment.
  return (
    <li class="result">
      <Monogram kind={kind} name={name} />
      <div class="result-body">
        <div class="result-head">
          <h3>
            <a class="result-link" href={entityHref(kind, item)}>
              <Marked fragment={marked('names').find((fragment) => plainText(fragment) === name) ?? escaped(name)} />
            </a>
          </h3>
          {showKind && <span class={`kind kind-${kind}`}>{kindWords[kind].one}</span>}
        </div>
        {facts.length > 0 && <p class="result-facts">{facts.join(' · ')}</p>}
        {(summary ?? overview) !== null && (
          <p class="result-text">{summary === undefined ? overview : <Marked fragment={summary} />}</p>
        )}
        <Why label="Also known as" fragment={otherName} />
        <Why label="Related to" fragment={relation} />
        <Why label="Website" fragment={website} />
        <Tags item={item} marked={marked('tags').map(plainText)} />
        <Editions item={item} />
      </div>
    </li>
  );
}

/** Shows the fragments that matched, by field. */
function marksOf({ highlight = {} }: Item): (where: string) => readonly string[] {
  return (where) => highlight[where] ?? [];
}

/** Shows a fragment of the API with its matches marked. The fragment is never used as HTML. */
function Marked({ fragment }: { readonly fragment: string }) {
  return <>{parseHighlight(fragment).map(({ text, marked }, at) => (marked ? <mark key={at}>{text}</mark> : text))}</>;
}

/** Converts a plain text to a fragment without matches. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Returns the host of an entity's website with the query marked; undefined if it does not contain it. */
function markedHost(item: Item, query: string): string | undefined {
  const host = hostOf(webAddress(textOf(item, 'website')));
  const word = query.trim().toLowerCase();
  return word !== '' && host.includes(word) ? host.replace(word, `<em>${word}</em>`) : undefined;
}

function Why({ label, fragment }: { readonly label: string; readonly fragment: string | undefined }) {
  if (fragment === undefined) return null;
  return (
    <p class="result-why">
      <span class="muted">{label}</span> <Marked fragment={fragment} />
    </p>
  );
}

function Tags({ item, marked }: { readonly item: Item; readonly marked: readonly string[] }) {
  const tags = [...textsOf(item, 'tags'), ...textsOf(item, 'investment_focus')];
  // Those that were found come first. They include ecosystems and types of events.
  const shown = [...new Set([...marked, ...tags])].slice(0, tagsShown);
  if (shown.length === 0) return null;
  return (
    <ul class="result-tags" aria-label="Tags">
      {shown.map(
        (tag): ComponentChildren => (
          <li key={tag}>{marked.includes(tag) ? <mark>{labelOf(tag)}</mark> : labelOf(tag)}</li>
        ),
      )}
    </ul>
  );
}

function Editions({ item: { entity_type: kind, name, editions = [] } }: Pick<ResultItemProps, 'item'>) {
  if (editions.length === 0) return null;
  return (
    <details class="more">
      <summary>
        {editions.length} more {editions.length === 1 ? 'edition' : 'editions'}
        <span class="visually-hidden"> of {name}</span>
      </summary>
      <ul class="editions">
        {editions.map((edition) => (
          <li key={edition.id}>
            <span>{whenText(edition)}</span>
            <a href={entityHref(kind, edition)}>{edition.name}</a>
          </li>
        ))}
      </ul>
    </details>
  );
}

function whenText({ start_date, year }: Edition): string {
  return daysText(start_date, null) ?? (year === null ? 'Date unknown' : String(year));
}

/** Returns short facts about an entity, by its kind. */
function factsOf(item: Item): readonly string[] {
  const year = numberOf(item, 'year_founded');
  const employees = numberOf(item, 'total_employees');
  const portfolio = numberOf(item, 'portfolio_count');
  const type = textOf(item, 'investor_type');
  const [role] = objectsOf(item, 'roles');
  const facts = {
    companies: [year && `Founded ${year}`, employees && counted(employees, 'employee')],
    people: [textOf(item, 'headline') ?? roleText(role)],
    investors: [type && labelOf(type), portfolio && counted(portfolio, 'investment')],
    events: [
      daysText(textOf(item, 'start_date'), textOf(item, 'end_date')),
      textOf(item, 'venue'),
      fieldsOf(item)?.is_online === true && 'Online',
    ],
  }[item.entity_type];
  const place = placeOf(item);
  return (item.entity_type === 'people' ? [...facts, place] : [place, ...facts]).filter(
    (fact) => typeof fact === 'string' && fact !== '',
  ) as readonly string[];
}

function roleText(role: ReturnType<typeof fieldsOf> | undefined): string | null {
  if (!role) return null;
  const parts = [textOf(role, 'title'), textOf(role, 'organisation')].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', ');
}
