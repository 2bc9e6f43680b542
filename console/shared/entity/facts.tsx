import type { ComponentChildren } from 'preact';
import type { KindName } from '../../../src/kinds/kind.ts';
import { dayMs } from '../durations.ts';
import { daysText, formatNumber, formatUsd } from '../format.ts';
import { type Fields, fieldsOf, labelOf, numberOf, placeOf, textOf, textsOf } from '../record.ts';
import { emptySearch, searchHref } from '../search/state.ts';

interface Fact {
  readonly label: string;
  readonly value: ComponentChildren;
}

type Reader = (record: Fields, kind: KindName) => ComponentChildren | null;

const text =
  (field: string): Reader =>
  (record) =>
    textOf(record, field);
const label =
  (field: string): Reader =>
  (record) =>
    labelOf(textOf(record, field) ?? '') || null;
const labels =
  (field: string): Reader =>
  (record) =>
    textsOf(record, field).map(labelOf).join(', ') || null;
const list =
  (field: string): Reader =>
  (record) =>
    textsOf(record, field).join(', ') || null;
const count =
  (field: string): Reader =>
  (record) => {
    // 0 means that none is known.
    const value = numberOf(record, field);
    return value ? formatNumber(value) : null;
  };

function funding(record: Fields): string | null {
  const amount = Number(textOf(record, 'total_funding_usd') ?? 0);
  return amount > 0 ? formatUsd(amount) : null;
}

function founded(record: Fields): string | null {
  return daysText(textOf(record, 'founded_date'), null) ?? numberOf(record, 'year_founded')?.toString() ?? null;
}

function held(record: Fields): ComponentChildren | null {
  const [start, end] = [textOf(record, 'start_date'), textOf(record, 'end_date')];
  const days = daysText(start, end);
  if (days === null) return numberOf(record, 'year')?.toString() ?? null;
  const isOver = Date.parse(end ?? start ?? '') < Date.now() - dayMs;
  return (
    <>
      {days}
      {!isOver && (
        <a class="below" href={`/events/${record.id}/event.ics`} download>
          Add to calendar
        </a>
      )}
    </>
  );
}

function organizer(record: Fields): ComponentChildren | null {
  const query = textOf(record, 'organizer');
  return query && <a href={searchHref({ ...emptySearch, type: 'events', query })}>{query}</a>;
}

/** Most events are held at a place, so only the others have this fact. */
function online({ is_online }: Fields): string | null {
  return is_online === true ? 'Yes' : null;
}

function updated(record: Fields): string | null {
  return daysText(textOf(record, 'updated_at')?.slice(0, 10) ?? null, null);
}

/** Links to the entities of the kind in the same place. */
const place: Reader = (record, kind) => {
  const { city, country } = fieldsOf(record.location_json) ?? {};
  const filters = Object.fromEntries(
    Object.entries({ country, city }).flatMap(([name, value]) => (typeof value === 'string' ? [[name, [value]]] : [])),
  );
  const text = placeOf(record);
  return text && <a href={searchHref({ ...emptySearch, type: kind, filters })}>{text}</a>;
};

/** The facts shown for each kind, in this order. */
const readers: Readonly<Record<KindName, readonly (readonly [label: string, read: Reader])[]>> = {
  companies: [
    ['Founded', founded],
    ['Location', place],
    ['Employees', count('employee_count')],
    ['Stage', label('company_stage')],
    ['Funding stage', label('funding_stage')],
    ['Total funding', funding],
    ['Tickers', list('tickers')],
    ['Also known as', list('aliases')],
    ['Formerly', list('former_names')],
    ['Updated', updated],
  ],
  people: [
    ['Location', place],
    ['Also known as', list('aliases')],
    ['Updated', updated],
  ],
  investors: [
    ['Type', label('investor_type')],
    ['Location', place],
    ['Stages', labels('investment_stages')],
    ['Ticket size', text('ticket_size')],
    ['Investments', count('portfolio_count')],
    ['Also known as', list('aliases')],
    ['Updated', updated],
  ],
  events: [
    ['Date', held],
    ['Venue', text('venue')],
    ['Location', place],
    ['Online', online],
    ['Organizer', organizer],
    ['Type', labels('event_types')],
    ['Capacity', count('capacity')],
    ['Updated', updated],
  ],
};

export function entityFacts(kind: KindName, record: Fields): readonly Fact[] {
  return readers[kind].flatMap(([label, read]) => {
    const value = read(record, kind);
    return value === null ? [] : [{ label, value }];
  });
}
