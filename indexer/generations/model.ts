/**
 * The life of a generation as a state machine: a state and the result of its action determine the next state.
 * `reindex/run.ts` performs the actions.
 *
 * planned → created → loading → catching-up → verifying → ready → live → retired
 * any of the first six → failed | aborted
 *
 * planned      its row exists, and its first position in the change log created      its index exists, set for loading
 * loading      its index is writable and takes documents catching-up  every row was sent; changes since the first
 * position must be applied verifying    followed like a live one; must be compared with the tables ready        proven
 * equal, waits for the swap live         answers searches retired      another generation took over; followed until it
 * is removed
 *
 * An interruption (an engine away, a signal, a kill, too many rejections) changes no state: each action may be
 * attempted again, and `reindex --resume` does so.
 */
const stepNames = ['planned', 'created', 'loading', 'catching-up', 'verifying', 'ready'] as const;
/** States with work left. */
export type StepName = (typeof stepNames)[number];
type EndName = 'live' | 'failed' | 'aborted';
export type GenerationState = StepName | EndName | 'retired';

export interface LoadCounts {
  readonly rows: number;
  readonly deadLetters: number;
  readonly bytes: number;
}

export interface ReindexStatus {
  readonly state: StepName | EndName;
  readonly counts: LoadCounts;
  /** Documents in the index, after the comparison. */
  readonly documents: number;
  /** The reason why it ended without going live, or was interrupted. */
  readonly error: string | undefined;
  /** True if a condition was not met; false after a failure. */
  readonly refused: boolean;
  readonly interrupted: boolean;
}

export interface ReindexRules {
  readonly allowedDeadLetters: number;
}

/** The result of a state's action. */
export interface StepResult {
  readonly counts?: LoadCounts;
  readonly comparison?: Comparison;
}

export type StepOutcome =
  | ({ readonly type: 'done' } & StepResult)
  /** Stopped: too many rejections; may be resumed after they are corrected, or allowed. */
  | { readonly type: 'failed' | 'interrupted' | 'stopped'; readonly error: string };

/** The result of comparing the index with the tables. */
export interface Comparison {
  readonly documents: number;
  readonly rows: number;
  /** Rejected documents and rows that cannot be made into one, as of now. */
  readonly deadLetters: number;
  /** Reasons of a few dead letters, for people. */
  readonly letterSamples: readonly string[];
  /** Examples of differences that are not dead letters, for people. */
  readonly differences: number;
  readonly samples: readonly string[];
}

export const initialReindex: ReindexStatus = {
  state: 'planned',
  counts: { rows: 0, deadLetters: 0, bytes: 0 },
  documents: 0,
  error: undefined,
  refused: false,
  interrupted: false,
};

export function isStep(state: GenerationState): state is StepName {
  return stepNames.some((step) => step === state);
}

export function nextState(reindex: ReindexStatus, outcome: StepOutcome, rules: ReindexRules): ReindexStatus {
  const { state } = reindex;
  if (!isStep(state)) throw new Error(`Nothing can happen to a generation that is ${state}.`);
  switch (outcome.type) {
    case 'failed':
      return { ...reindex, state: 'failed', error: outcome.error };
    case 'interrupted':
      return { ...reindex, error: outcome.error, interrupted: true };
    case 'stopped':
      return { ...reindex, error: outcome.error, interrupted: true, refused: true };
    case 'done': {
      const next = stepNames[stepNames.indexOf(state) + 1] ?? 'live';
      const moved: ReindexStatus = { ...reindex, state: next, counts: outcome.counts ?? reindex.counts };
      return outcome.comparison === undefined ? moved : afterComparison(moved, outcome.comparison, rules);
    }
    default:
      return outcome satisfies never;
  }
}

/** Only an index that equals the tables, except for the allowed number of dead letters, may go live. */
function afterComparison(reindex: ReindexStatus, found: Comparison, rules: ReindexRules): ReindexStatus {
  const { rows, documents, deadLetters, differences } = found;
  const counted = { ...reindex, documents, counts: { ...reindex.counts, deadLetters } };
  if (differences > 0) {
    const examples = found.samples.length === 0 ? '' : ` (${found.samples.join(', ')})`;
    const error = `The index differs from the tables in ${differences} documents${examples}. Another program writes to the index, or the tables are changed with their triggers switched off. Stop that, then start again.`;
    return { ...counted, state: 'failed', error };
  }
  if (deadLetters > rules.allowedDeadLetters) {
    const more = deadLetters - found.letterSamples.length;
    const examples = [...found.letterSamples, ...(more > 0 ? [`and ${more} more`] : [])]
      .map((one) => `\n  ${one}`)
      .join('');
    const error = `Elasticsearch rejected ${deadLetters} of ${rows} documents, and ${rules.allowedDeadLetters} are allowed:${examples}\nCorrect the rows, or allow more with --allow-dead-letters. search_dead_letters has all reasons.`;
    return { ...counted, state: 'failed', error, refused: true };
  }
  return counted;
}
