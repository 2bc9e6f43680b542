import type { ComponentChildren } from 'preact';
import type { KindName } from '../../../src/kinds/kind.ts';
import { daysText, type Fields, numberOf, placeOf, textOf, textsOf } from '../record.ts';

interface Fact {
  readonly label: string;
  readonly value: ComponentChildren;
}

type Reader = (record: Fields) => ComponentChildren | null;

const text =
  (field: string): Reader =>
  (record) =>
    textOf(record, field);
const list =
  (field: string): Reader =>
  (record) =>
    textsOf(record, field).join(', ') || null;
const count =
  (field: string): Reader =>
  (record) =>
    numberOf(record, field)?.toLocaleString('en') ?? null;

function funding(record: Fields): string | null {
  const amount = Number(textOf(record, 'total_funding_usd') ?? 0);
  if (!(amount > 0)) return null;
  return new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 0 }).format(amount);
}

function founded(record: Fields): string | null {
  return daysText(textOf(record, 'founded_date'), null) ?? numberOf(record, 'year_founded')?.toString() ?? null;
}

function held(record: Fields): string | null {
  return (
    daysText(textOf(record, 'start_date'), textOf(record, 'end_date')) ?? numberOf(record, 'year')?.toString() ?? null
  );
}

function online({ is_online }: Fields): string | null {
  return typeof is_online === 'boolean' ? (is_online ? 'Yes' : 'No') : null;
}

function updated(record: Fields): string | null {
  return daysText(textOf(record, 'updated_at')?.slice(0, 10) ?? null, null);
}

const place: Reader = (record) => placeOf(record);

/** The facts shown for each kind, in this order. */
const readers: Readonly<Record<KindName, readonly (readonly [label: string, read: Reader])[]>> = {
  companies: [
    ['Founded', founded],
    ['Location', place],
    ['Employees', count('employee_count')],
    ['Stage', text('company_stage')],
    ['Funding stage', text('funding_stage')],
    ['Total funding', funding],
    ['Tickers', list('tickers')],
    ['Also known as', list('aliases')],
    ['Formerly', list('former_names')],
    ['Updated', updated],
  ],
  people: [
    ['Location', place],
    ['Also known as', list('aliases')],
    ['Proposals', list('proposals')],
    ['Updated', updated],
  ],
  investors: [
    ['Type', text('investor_type')],
    ['Location', place],
    ['Stages', list('investment_stages')],
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
    ['Organizer', text('organizer')],
    ['Type', list('event_types')],
    ['Capacity', count('capacity')],
    ['Updated', updated],
  ],
};

export function entityFacts(kind: KindName, record: Fields): readonly Fact[] {
  return readers[kind].flatMap(([label, read]) => {
    const value = read(record);
    return value === null ? [] : [{ label, value }];
  });
}
