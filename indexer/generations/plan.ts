import { isDeepStrictEqual } from 'node:util';
import { documentSql, generationHash, type IndexOptions, indexDefinition } from '../../mappings/registry.ts';
import type { EmbeddingModel } from '../../src/embeddings/model.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { isObject } from '../../src/lib/is-object.ts';
import { type IndexContext, readAliasState } from './alias-state.ts';
import { estimateRows, type NewGeneration } from './generations.ts';

/** The changes of a reindex. */
export interface KindPlan {
  readonly kind: KindName;
  /** The index that is searched now, or should be; null if there is none. */
  readonly live: string | null;
  /** The name of the next index according to the code, without the number. */
  readonly hash: string;
  readonly needed: boolean;
  readonly reason: string;
  /** The problem of the alias, and the command that fixes it; null if it names one index. */
  readonly problem: string | null;
  /** The fields and settings that differ, by path, and `sql` for the documents' SQL. */
  readonly changes: readonly string[];
  readonly rows: number;
}

type Stored = Pick<NewGeneration, 'hash' | 'definition' | 'documentSql' | 'embeddingModel'>;

/** The inputs of a plan in addition to the tables: both engines, and the settings that decide an index. */
export interface PlanContext extends IndexContext, IndexOptions {}

/** Compares the code and the settings with the live generation. Changes nothing. */
export async function planKind(context: PlanContext, kind: KindName): Promise<KindPlan> {
  const { pool, embeddings } = context;
  const { named, kept, problem: found } = await readAliasState(context, kind);
  const live =
    kept.find(({ indexName }) => named.includes(indexName))?.indexName ?? named[0] ?? kept[0]?.indexName ?? null;
  const problem = found === undefined || live === null ? null : `${found.found} ${found.todo}`;
  const hash = generationHash(kind, context);
  const { rows } = await pool.query<Stored>(
    `select hash, definition, document_sql as "documentSql", embedding_model as "embeddingModel"
     from search_generations where index_name = $1`,
    [live],
  );
  const [stored] = rows;
  const plan = { kind, live, hash, rows: await estimateRows(pool, kind), changes: [], problem };
  if (live === null) return { ...plan, needed: true, reason: 'There is no index yet.' };
  if (stored === undefined) return { ...plan, needed: true, reason: `The database has no record of ${live}.` };
  if (stored.hash === hash) return { ...plan, needed: false, reason: 'The index matches this version.' };
  const changes = [
    ...changedPaths(stored.definition, indexDefinition(kind, context)),
    ...(stored.documentSql === documentSql(kind, context) ? [] : ['sql']),
  ];
  const parts = [...new Set(changes.map((path) => path.replace(/\..*/, '')))];
  const changed = parts.length === 0 ? 'Only the order of keys differs.' : `Changed: ${parts.join(', ')}.`;
  const vectors = vectorReason(stored.embeddingModel, embeddings);
  const reason = vectors === undefined ? changed : `${vectors} ${changed}`;
  return { ...plan, needed: true, reason, changes };
}

/** The depth of `mappings.properties.FIELD` and `settings.analysis.filter`. */
const pathLength = 3;

/** Returns the paths whose values differ, shortened to a field or a group of settings; the order of keys doesn't count. */
export function changedPaths(before: unknown, after: unknown, path: readonly string[] = []): readonly string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (path.length === pathLength || !isObject(before) || !isObject(after)) return [path.join('.')];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return keys.flatMap((key) => changedPaths(before[key], after[key], [...path, key]));
}

/** Describes the vectors of the live index. */
function vectorReason(before: string | null, embeddings: EmbeddingModel | null): string | undefined {
  if (before === (embeddings?.key ?? null)) return undefined;
  if (embeddings === null) return 'It holds vectors, and EMBEDDINGS is off.';
  return before === null
    ? `It holds no vectors of ${embeddings.name}.`
    : `It holds vectors of another model than ${embeddings.name}.`;
}
