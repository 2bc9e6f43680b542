import { SourceViewError } from './source-view-error.ts';

/** A column with the name of its base type, as Postgres formats it without a length. */
export interface TypedColumn {
  readonly name: string;
  readonly type: string;
}

/** Groups of types. Every value of a type can be cast to the other types of its group. */
const families: readonly (readonly string[])[] = [
  ['smallint', 'integer', 'bigint', 'numeric', 'real', 'double precision'],
  ['date', 'timestamp without time zone', 'timestamp with time zone'],
  ['json', 'jsonb'],
];

const texts = ['text', 'character varying', 'bpchar', 'citext', 'name'];

/**
 * Throws `SourceViewError` if not every value of a view's column can be cast to our type, as text to a date: a single
 * row would make every query fail that reads it. Pure.
 * @param source the team's view, with its schema
 */
export function refuseUnfitColumns(source: string, ours: readonly TypedColumn[], theirs: readonly TypedColumn[]): void {
  const problems = ours.flatMap(({ name, type }) => {
    const found = theirs.find((column) => column.name === name)?.type;
    const wanted = withoutLength(type);
    return found === undefined || fits(found, wanted) ? [] : [describeUnfit(`${source}.${name}`, found, wanted)];
  });
  if (problems.length > 0) throw new SourceViewError(problems.join('\n'));
}

/** Type names may contain a length: `numeric(20,2)`, `timestamp(3) with time zone`. */
const withoutLength = (type: string): string => type.replace(/\(\d+(,\d+)?\)/, '');

function fits(found: string, wanted: string): boolean {
  if (found === wanted || wanted === 'text') return true;
  if (wanted.endsWith('[]')) return found.endsWith('[]') && fits(found.slice(0, -2), wanted.slice(0, -2));
  return families.some((family) => family.includes(found) && family.includes(wanted));
}

function describeUnfit(column: string, found: string, wanted: string): string {
  const cast = texts.includes(found)
    ? `case when pg_input_is_valid(VALUE, '${wanted}') then VALUE::${wanted} end (from Postgres 16)`
    : `an expression of type ${wanted}`;
  return `Column ${column} is ${found}, but must be ${wanted}. Write in the view, with null for other values: ${cast}.`;
}
