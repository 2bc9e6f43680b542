import type { z } from 'zod';
import type { KindName } from '../../../src/kinds/kind.ts';
import { plainWords } from '../../../src/lib/plain-words.ts';
import type { CopyValue } from '../copy-text.ts';

/** A relation table whose rows the lines of one kind assert, in order. */
export interface RelationTable {
  readonly table: string;
  /** The column of the asserting entity's id. */
  readonly owner: string;
  /** The columns of what the line says, in the order in which `relations` gives them. */
  readonly texts: readonly string[];
  /** The column of the other side's id. */
  readonly reference: string;
  /** Those of `texts` on which the reference depends: while they stay, it stays. */
  readonly referenceTexts: readonly string[];
  /** SQL that finds the other side's id; `t` is the row. */
  readonly resolve: string;
}

/** What the lines of one kind mean to the database. */
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
  /** Where in the line, `roles[2].title`; empty for the line as a whole. */
  readonly path: string;
  readonly message: string;
}

interface Definition<Schema extends z.ZodType> {
  readonly kind: KindName;
  readonly schema: Schema;
  readonly columns: readonly string[];
  row(line: z.output<Schema>): Readonly<Record<string, CopyValue>> & { readonly id: number };
  readonly relations: readonly (RelationTable & {
    rows(line: z.output<Schema>): readonly (readonly CopyValue[])[];
  })[];
}

/** Binds a kind's schema to its columns, so that the rest of the import needs no kind's types. */
export function defineKindImport<Schema extends z.ZodType>(definition: Definition<Schema>): KindImport {
  const { kind, schema, columns, relations } = definition;
  return {
    kind,
    columns,
    relations,
    parse(value) {
      const parsed = schema.safeParse(withoutForeignNotes(value), { error: plainWords });
      if (!parsed.success) return parsed.error.issues.flatMap(problemsOf);
      const row = definition.row(parsed.data);
      return {
        id: row.id,
        values: columns.map((column) => row[column] ?? null),
        relations: relations.map((relation) => relation.rows(parsed.data)),
      };
    },
  };
}

const ownNotes: ReadonlySet<string> = new Set(['_src', '_synthetic']);

// Notes of other programs may ride along; only ours have a meaning here.
function withoutForeignNotes(value: object): object {
  const foreign = (key: string): boolean => key.startsWith('_') && !ownNotes.has(key);
  if (!Object.keys(value).some(foreign)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !foreign(key)));
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
