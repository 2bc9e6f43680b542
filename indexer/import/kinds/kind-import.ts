import { z } from 'zod';
import type { KindName } from '../../../src/kinds/kind.ts';
import { plainWords } from '../../../src/lib/text/plain-words.ts';
import { type CommonLine, commonColumns, commonFields, commonValues } from './fields.ts';

/** The value of a column that only one kind has; a list for a `text[]` column. */
type ColumnValue = string | number | boolean | null | readonly string[];

/** A relation table whose rows come from the lines of one kind, in order. */
export interface RelationTable {
  readonly table: string;
  /** The column of the owning entity's id. */
  readonly owner: string;
  /** The columns of the line's data, which `rows` returns. */
  readonly texts: readonly string[];
  /** The column of the other side's id. */
  readonly reference: string;
  /** Columns among `texts` that decide the reference, by default all: while they stay the same, it stays. */
  readonly referenceTexts?: readonly string[];
  /** SQL that finds the other side's id; `t` is the row. */
  readonly resolve: string;
}

/** The mapping from the lines of one kind to the database. */
export interface KindImport {
  readonly kind: KindName;
  /** The entity table's columns, which are the keys of `StagedLine.values`. */
  readonly columns: readonly string[];
  readonly relations: readonly RelationTable[];
  /** Returns a line's JSON value as database values, or its problems. */
  parse(value: object): StagedLine | readonly LineProblem[];
}

export interface StagedLine {
  readonly id: number;
  readonly values: object;
  /** Rows of each relation table. */
  readonly relations: readonly (readonly object[])[];
}

export interface LineProblem {
  /** The path within the line, `roles[2].title`; empty for the line as a whole. */
  readonly path: string;
  readonly message: string;
}

type LineOf<Columns extends z.ZodRawShape, Others extends z.ZodRawShape> = z.output<z.ZodObject<Columns>> &
  z.output<z.ZodObject<Others>>;

interface Definition<Columns extends z.ZodRawShape, Others extends z.ZodRawShape> {
  readonly kind: KindName;
  /** Fields that are columns of the same name, in addition to those of every kind. */
  readonly columns: Columns;
  /** Other fields: for relation tables, or for a column that `merge` fills. */
  readonly others: Others;
  merge?(line: LineOf<Columns, Others>): Readonly<Partial<Record<keyof Columns, ColumnValue>>>;
  /** Returns problems between fields that are valid one by one. */
  check?(line: LineOf<Columns, Others>): readonly LineProblem[];
  readonly relations: readonly (RelationTable & {
    rows(line: LineOf<Columns, Others>): readonly Readonly<Record<string, string | null>>[];
  })[];
}

/** Binds a kind's fields to its columns, so that the rest of the import is independent of the kinds' types. */
export function defineKindImport<
  Columns extends Readonly<Record<string, z.ZodType<ColumnValue>>>,
  Others extends z.ZodRawShape,
>({ kind, columns, others, merge, check, relations }: Definition<Columns, Others>): KindImport {
  const schema = z.strictObject({ ...commonFields, ...columns, ...others });
  const own = Object.keys(columns);
  return {
    kind,
    columns: [...commonColumns, ...own],
    relations,
    parse(value) {
      const parsed = schema.safeParse(withoutNotesOfOthers(value), { error: plainWords });
      if (!parsed.success) return parsed.error.issues.flatMap(problemsOf);
      // The schema's output, which the compiler cannot compute for unknown fields.
      const line = parsed.data as unknown as CommonLine &
        LineOf<Columns, Others> &
        Readonly<Record<string, ColumnValue>>;
      const problems = check?.(line) ?? [];
      if (problems.length > 0) return problems;
      const row = merge === undefined ? line : { ...line, ...merge(line) };
      return {
        id: line.id,
        values: { ...commonValues(line), ...Object.fromEntries(own.map((column) => [column, row[column]])) },
        relations: relations.map((relation) => relation.rows(line)),
      };
    },
  };
}

const ownNotes: ReadonlySet<string> = new Set(['_src', '_synthetic']);

// Removes keys of other programs' notes; they are ignored.
function withoutNotesOfOthers(value: object): object {
  const isForeign = (key: string): boolean => key.startsWith('_') && !ownNotes.has(key);
  if (!Object.keys(value).some(isForeign)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !isForeign(key)));
}

function problemsOf(issue: z.core.$ZodIssue): readonly LineProblem[] {
  const path = pathText(issue.path);
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
  return issue.keys.map((key) => ({ path: pathText([...issue.path, key]), message: 'is not a known field' }));
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`,
    '',
  );
}
