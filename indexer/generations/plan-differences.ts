import { isObject } from '../../src/elasticsearch/client.ts';

/** One difference between two definitions of an index. */
export interface RecipeChange {
  readonly part: 'mapping' | 'settings' | 'vocabulary' | 'sql';
  /** The location: a field, a setting, a line of the SQL. */
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly before: unknown;
  readonly after: unknown;
}

/** The definition of an index: its settings and mappings, and the SQL of its documents. */
export interface Recipe {
  readonly definition: object;
  readonly documentSql: string;
}

/** Returns all differences, field by field and line by line; the order of keys does not count. Pure. */
export function diffRecipes(before: Recipe, after: Recipe): readonly RecipeChange[] {
  return [
    ...definitionChanges(before.definition, after.definition),
    ...sqlChanges(before.documentSql, after.documentSql),
  ];
}

function definitionChanges(before: object, after: object): readonly RecipeChange[] {
  const old = leavesOf(before, []);
  const now = leavesOf(after, []);
  return [...new Set([...old.keys(), ...now.keys()])].sort().flatMap((path): readonly RecipeChange[] => {
    const [one, other] = [old.get(path), now.get(path)];
    if (JSON.stringify(one) === JSON.stringify(other)) return [];
    const part = partOf(path);
    const change = one === undefined ? 'added' : other === undefined ? 'removed' : 'changed';
    return [{ part, path, change, ...shown(part, one, other) }];
  });
}

/** Returns values that are not objects, by their path. A list is one value: its order counts. */
function leavesOf(value: unknown, path: readonly string[]): Map<string, unknown> {
  if (!isObject(value) || Object.keys(value).length === 0) return new Map([[path.join('.'), value]]);
  return new Map(Object.entries(value).flatMap(([key, child]) => [...leavesOf(child, [...path, key])]));
}

function partOf(path: string): RecipeChange['part'] {
  if (path.startsWith('mappings.')) return 'mapping';
  return path.endsWith('.synonyms') ? 'vocabulary' : 'settings';
}

/** Lists only the added and removed rules of a vocabulary: it has thousands. */
function shown(part: RecipeChange['part'], one: unknown, other: unknown): Pick<RecipeChange, 'before' | 'after'> {
  if (part !== 'vocabulary' || !Array.isArray(one) || !Array.isArray(other)) {
    return { before: one ?? null, after: other ?? null };
  }
  return { before: without(one, other), after: without(other, one) };
}

function without(rules: readonly unknown[], known: readonly unknown[]): readonly unknown[] {
  const others = new Set(known);
  return rules.filter((rule) => !others.has(rule));
}

/** Returns added and removed lines. A moved line is not a change. */
function sqlChanges(before: string, after: string): readonly RecipeChange[] {
  if (before === after) return [];
  const old = piecesOf(before);
  const now = piecesOf(after);
  const change = (text: string, kind: 'added' | 'removed'): RecipeChange => ({
    part: 'sql',
    path: 'document',
    change: kind,
    before: kind === 'removed' ? text : null,
    after: kind === 'added' ? text : null,
  });
  const changes = [
    ...without(old, now).map((text) => change(String(text), 'removed')),
    ...without(now, old).map((text) => change(String(text), 'added')),
  ];
  return changes.length > 0 ? changes : [{ part: 'sql', path: 'document', change: 'changed', before, after }];
}

/** Splits the SQL into lines, and these into the keys of JSON objects. */
function piecesOf(sql: string): readonly string[] {
  return sql
    .split(/\n|(?<=,) (?='[a-z_]+', )/)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '');
}
