import { z } from 'zod';
import type { KindName } from '../../../src/kinds/kind.ts';
import { plainWords } from '../../../src/lib/text/plain-words.ts';
import type { CopyValue } from '../copy-text.ts';
import { type CommonLine, commonColumns, commonFields, commonValues } from './fields.ts';

/** A relation table whose rows the lines of one kind assert, in order. */
export interface RelationTable {
  readonly table: string;
  /** The column of the asserting entity's id. */
  readonly owner: string;
  /** The columns of the line's data, in the order of `rows`. */
  readonly texts: readonly string[];
  /** The column of the other side's id. */
  readonly reference: string;
  /** Those of `texts` on which the reference depends: while they stay, it stays. */
  readonly referenceTexts: readonly string[];
  /** SQL that finds the other side's id; `t` is the row. */
  readonly resolve: string;
}

/** The mapping from the lines of one kind to the database. */
export interface KindImport {
  readonly kind: KindName;
  /** The entity table's columns, in the order of `StagedLine.values`. */
  readonly columns: readonly string[];
  readonly relations: readonly RelationTable[];
  /** A line's JSON value as database values, or what is wrong with it. */
  parse(value: object): StagedLine | readonly LineProblem[];
}

export interface StagedLine {
  readonly id: number;
  readonly values: readonly CopyValue[];
  /** Per relation table, its rows' texts. */
  readonly relations: readonly (readonly (readonly CopyValue[])[])[];
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
  /** Fields that go elsewhere: to relation tables, or into a column that `merge` gives. */
  readonly others: Others;
  merge?(line: LineOf<Columns, Others>): Readonly<Partial<Record<keyof Columns, CopyValue>>>;
  /** Returns problems between fields that are valid one by one. */
  check?(line: LineOf<Columns, Others>): readonly LineProblem[];
  readonly relations: readonly (RelationTable & {
    rows(line: LineOf<Columns, Others>): readonly (readonly CopyValue[])[];
  })[];
}

/** Binds a kind's fields to its columns, so that the rest of the import needs no kind's types. */
export function defineKindImport<
  Columns extends Readonly<Record<string, z.ZodType<CopyValue>>>,
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
      // The schema's output, which the compiler can't compute for fields that it does not know here.
      const line = parsed.data as unknown as CommonLine & LineOf<Columns, Others> & Readonly<Record<string, CopyValue>>;
      const problems = check?.(line) ?? [];
      if (problems.length > 0) return problems;
      const row = merge === undefined ? line : { ...line, ...merge(line) };
      return {
        id: line.id,
        values: [...commonValues(line), ...own.map((column) => row[column] ?? null)],
        relations: relations.map((relation) => relation.rows(line)),
      };
    },
  };
}

const ownNotes: ReadonlySet<string> = new Set(['_src', '_synthetic']);

// Notes of other programs may ride along; only ours have a meaning here.
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
