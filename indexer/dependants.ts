import type { KindName } from '../src/kinds/kind.ts';
import type { Change } from './changes.ts';

// Whose documents show another entity's id, name or slug. The trigger can't know them all: a relation that another
// transaction has not committed yet is invisible to it. The reader looks in its own, later snapshot; a relation that
// comes after that has an entry of its own.

type Dependants = Readonly<Record<KindName, Readonly<Partial<Record<KindName, string>>>>>;

/** By reader, then by the kind whose entity changed: SQL from `$1::bigint[]` to the reader's ids. */
const dependants: Dependants = {
  companies: {
    investors:
      'select distinct company_id as id from investments where investor_id = any($1) and company_id is not null',
  },
  people: {
    companies: `select person_id as id from roles where company_id = any($1)
                union select person_id from person_companies where company_id = any($1)`,
    events: 'select distinct person_id as id from event_people where event_id = any($1)',
  },
  investors: {
    companies:
      'select distinct investor_id as id from investments where company_id = any($1) and investor_id is not null',
  },
  events: {},
};

/** What a chunk of entries asks for. */
export interface Wanted {
  /** Documents to be read again. */
  readonly ids: readonly number[];
  /** SQL with the ids that it is given as `$1`: more documents to be read again. */
  readonly expansions: readonly { readonly sql: string; readonly ids: readonly number[] }[];
  /** Everything that is in the index but not in the table is to go. */
  readonly sweep: boolean;
  /** Every document of the kind is to be read again. */
  readonly everything: boolean;
}

/** Pure: sorts a chunk's entries by what they mean to a reader. */
export function wantedBy(reader: KindName, changes: readonly Change[]): Wanted {
  const own = changes.filter(({ kind }) => kind === reader);
  const ids = new Set(own.flatMap(({ id }) => id ?? []));
  const expansions = Object.entries(dependants[reader]).flatMap(([kind, sql]) => {
    const changed = changes.flatMap((change) =>
      change.kind === kind && change.what === 'references' ? (change.id ?? []) : [],
    );
    return changed.length === 0 ? [] : [{ sql, ids: [...new Set(changed)] }];
  });
  return {
    ids: [...ids],
    expansions,
    sweep: own.some(({ what }) => what === 'truncate'),
    everything: own.some(({ what }) => what === 'all'),
  };
}
