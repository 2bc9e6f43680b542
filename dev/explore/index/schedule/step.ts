import type { VerifyLimits } from '../../../../indexer/limits.ts';
import type { KindName } from '../../../../src/kinds/kind.ts';

// The steps of a schedule. Steps are data, so that a schedule can be printed, shortened and run again.

/** Something written to the tables; inside a transaction if `tx` names an open one. */
export type WriteStep = {
  readonly tx?: number;
  /** No trigger sees it. */
  readonly isReplica?: true;
} & (
  | { readonly do: 'insert' | 'update' | 'rename' | 'delete'; readonly kind: KindName; readonly id: number }
  | { readonly do: 'update-all'; readonly kind: KindName }
  | { readonly do: 'truncate'; readonly kind: KindName }
  /** A person's role at a company is made or ended. */
  | { readonly do: 'relate' | 'unrelate'; readonly person: number; readonly company: number }
  /** Committed, but not on disk: a crash of the server loses it. */
  | { readonly do: 'update-unflushed'; readonly kind: KindName; readonly id: number }
  /** A value that the tables accept without their constraints, and the document's SQL does not. */
  | { readonly do: 'poison'; readonly column: PoisonColumn; readonly id: number }
  | { readonly do: 'repair-row'; readonly column: PoisonColumn; readonly id: number }
  /** To a team's tables: soft delete, a row of a lookup that appears or goes, another key, a partition with rows. */
  | { readonly do: 'hide' | 'show'; readonly kind: KindName; readonly id: number }
  | { readonly do: 'look-up' | 'forget' | 'rekey'; readonly id: number }
  | { readonly do: 'attach' }
);

export type PoisonColumn = 'companies.founded_date' | 'events.start_date' | 'companies.tags' | 'roles.position';

export const transactionSteps = [
  'begin',
  'begin-repeatable-read',
  'savepoint',
  'rollback-to-savepoint',
  'commit',
  'rollback',
  'prepare',
  'commit-prepared',
  'rollback-prepared',
] as const;

export interface TransactionStep {
  readonly do: (typeof transactionSteps)[number];
  readonly tx: number;
}

export const embeddingModelNames = ['first', 'second'] as const;
export type EmbeddingModelName = (typeof embeddingModelNames)[number];

export type ProviderFault = 'unavailable' | 'wrong-dimension' | 'refuses-some';

/** The models of a program in a world with vectors, and the failures that it meets. */
interface EmbeddingChoice {
  readonly model?: EmbeddingModelName;
  readonly fault?: ProviderFault;
}

/** The service runs until all texts have their vectors and all is applied, or a while. */
export interface ServeStep extends EmbeddingChoice {
  readonly do: 'serve';
  readonly at?: Interruption;
}

export interface VectorStep {
  readonly do: 'remove-vectors' | 'empty-vectors';
  readonly kind: KindName;
}

/** A command of `entity-search`, and an event in the middle of it. */
export interface RunStep extends EmbeddingChoice {
  readonly do: 'run';
  readonly args: readonly string[];
  /** Its build was not damaged, so the comparison must find it equal. */
  readonly sound?: true;
  readonly verify?: Partial<VerifyLimits>;
  readonly at?: Interruption;
}

/** A round of every reader by hand, with a step after each entry. */
export interface DrainStep {
  readonly do: 'drain';
  readonly at?: Interruption;
}

/** At the n-th request of a sort that a program sends to Elasticsearch or the provider of embeddings, before it arrives or after it was answered. */
export interface Interruption {
  readonly request: RequestSort;
  readonly nth: number;
  readonly when: 'before' | 'after';
  /** The program vanishes, or other steps happen while it waits. */
  readonly act: 'crash' | readonly Step[];
}

export const requestSorts = [
  'any',
  'create',
  'health',
  'bulk',
  'merge',
  'settings',
  'refresh',
  'search',
  'swap',
  'delete',
  'embed',
] as const;
export type RequestSort = (typeof requestSorts)[number];

export const indexSteps = [
  'spoil-delete',
  'spoil-change',
  'close-index',
  'open-index',
  'block-index',
  'unblock-index',
  'remove-alias',
  'alias-on-two',
  'delete-index',
  'snapshot-index',
  'restore-deleted-index',
  'restore-closed-index',
] as const;

/** A manual change of an index of the kind: the live one unless another is named. */
export interface IndexStep {
  readonly do: (typeof indexSteps)[number];
  readonly kind: KindName;
  readonly id?: number;
  /** The index that was made last, which the alias may not name yet. */
  readonly newest?: boolean;
}

export const postgresSteps = [
  'add-standby',
  'detach-standby',
  'promote',
  'promote-after-crash',
  'crash-postgres',
  'snapshot-storage',
  'restore-storage',
] as const;

export interface PostgresStep {
  readonly do: (typeof postgresSteps)[number];
}

export interface TimeStep {
  /** Time passes until no earlier request can still arrive. */
  readonly do: 'requests-end';
}

export interface PruneStep {
  readonly do: 'prune';
}

/** A program that keeps a copy requests entities and removals. */
interface PollStep {
  readonly do: 'poll';
}

/** Postgres ends the sessions of programs, as those of a process that is stopped. */
interface SessionStep {
  readonly do: 'end-sessions';
}

/** A dump of the database, and a new database from it. */
interface DumpStep {
  readonly do: 'dump' | 'restore-dump';
}

/** Writers stop, and everything must recover by itself. Each schedule ends with it. */
export interface QuiesceStep {
  readonly do: 'quiesce';
}

/** Another database of the same prefix does this. */
export interface OtherStep {
  readonly do: 'other-database';
  readonly args: readonly string[];
}

export type Step =
  | WriteStep
  | TransactionStep
  | RunStep
  | DrainStep
  | ServeStep
  | VectorStep
  | IndexStep
  | PostgresStep
  | TimeStep
  | PruneStep
  | QuiesceStep
  | PollStep
  | SessionStep
  | DumpStep
  | OtherStep;

export function storyOf(steps: readonly Step[], indent = ''): string {
  return steps.map((step) => indent + lineOf(step, indent)).join('\n');
}

const whatOf = { drain: 'drain, entry by entry', serve: 'entity-search sync, as a service' } as const;

function lineOf(step: Step, indent: string): string {
  if (step.do === 'run' || step.do === 'drain' || step.do === 'serve') {
    const what = step.do === 'run' ? `entity-search ${step.args.join(' ')}` : whatOf[step.do];
    const told =
      step.do === 'drain' ? {} : { ...(step.do === 'run' && step.verify), model: step.model, fault: step.fault };
    const limits = Object.entries(told).flatMap(([name, value]) => (value === undefined ? [] : [` ${name}=${value}`]));
    return `${what}${limits.join('')}${step.at === undefined ? '' : interruption(step.at, indent)}`;
  }
  const { do: what, ...rest } = step;
  return [what, ...Object.entries(rest).map(([name, value]) => `${name}=${value}`)].join(' ');
}

function interruption({ request, nth, when, act }: Interruption, indent: string): string {
  const place = `${when} ${request} request ${nth}`;
  return act === 'crash' ? `, killed ${place}` : `; ${place}:\n${storyOf(act, `${indent}    `)}`;
}
