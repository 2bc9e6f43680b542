/**
 * The life of a generation, as a pure machine: what was attempted in a state and what came of it give the next state.
 * `reindex-actions.ts` does what a state asks for, `reindex.ts` drives.
 *
 *     planned → created → loading → verifying → ready → live → retired
 *     any of the first five → failed | aborted
 *
 * planned    its row exists
 * created    its index exists, set for loading
 * loading    its index is writable and takes documents
 * verifying  everything was sent; to be counted
 * ready      proven complete, waits for the swap
 * live       answers searches
 * retired    another generation took over
 */
const stepNames = ['planned', 'created', 'loading', 'verifying', 'ready'] as const;
/** States in which something is still to be done. */
export type StepName = (typeof stepNames)[number];
type EndName = 'live' | 'failed' | 'aborted';
export type GenerationState = StepName | EndName | 'retired';

/** What the load came to. */
export interface LoadCounts {
  /** Rows read from Postgres. */
  readonly rows: number;
  readonly deadLetters: number;
  /** Bytes of documents and action lines, each counted once. */
  readonly bytes: number;
}

/** Where one reindex stands. */
export interface Reindex {
  readonly state: StepName | EndName;
  readonly counts: LoadCounts;
  /** Documents in the index, once they are counted. */
  readonly documents: number;
  /** Why it ended without going live. */
  readonly error: string | undefined;
  /** Ended because a condition was not met, not because something broke. */
  readonly refused: boolean;
}

export interface Rules {
  readonly allowedDeadLetters: number;
}

/** What came of a state's action. */
export type Outcome =
  | { readonly type: 'created' }
  | { readonly type: 'writable' }
  | { readonly type: 'loaded'; readonly counts: LoadCounts }
  | { readonly type: 'counted'; readonly documents: number }
  | { readonly type: 'swapped' }
  | { readonly type: 'failed'; readonly error: string }
  | { readonly type: 'aborted'; readonly error: string };

export const planned: Reindex = {
  state: 'planned',
  counts: { rows: 0, deadLetters: 0, bytes: 0 },
  documents: 0,
  error: undefined,
  refused: false,
};

/** What each state's success is called, and where it leads. */
const successes: Readonly<Record<StepName, { readonly outcome: Outcome['type']; readonly next: StepName | 'live' }>> = {
  planned: { outcome: 'created', next: 'created' },
  created: { outcome: 'writable', next: 'loading' },
  loading: { outcome: 'loaded', next: 'verifying' },
  verifying: { outcome: 'counted', next: 'ready' },
  ready: { outcome: 'swapped', next: 'live' },
};

export function isStep(state: GenerationState): state is StepName {
  return stepNames.some((step) => step === state);
}

/** The next state. Throws when the outcome can't come from the state's action: that is a bug, not an event. */
export function nextState(reindex: Reindex, outcome: Outcome, rules: Rules): Reindex {
  if (!isStep(reindex.state)) throw new Error(`Nothing can happen to a generation that is ${reindex.state}.`);
  if (outcome.type === 'failed' || outcome.type === 'aborted') {
    return { ...reindex, state: outcome.type, error: outcome.error };
  }
  const success = successes[reindex.state];
  if (success.outcome !== outcome.type) throw new Error(`"${outcome.type}" can't happen in state ${reindex.state}.`);
  const moved = { ...reindex, state: success.next };
  if (outcome.type === 'loaded') return { ...moved, counts: outcome.counts };
  return outcome.type === 'counted' ? judged({ ...moved, documents: outcome.documents }, rules) : moved;
}

/** Only an index that holds every row, but for as many dead letters as were allowed, may go live. */
function judged(reindex: Reindex, rules: Rules): Reindex {
  const { rows, deadLetters } = reindex.counts;
  const expected = rows - deadLetters;
  if (reindex.documents !== expected) {
    const error = `The index holds ${reindex.documents} documents where ${expected} were written (${rows} rows, ${deadLetters} dead letters). Something else writes to it or deletes from it; find that out, then start again.`;
    return { ...reindex, state: 'failed', error };
  }
  if (deadLetters > rules.allowedDeadLetters) {
    const error = `Elasticsearch rejected ${deadLetters} of ${rows} documents, and ${rules.allowedDeadLetters} are allowed. Their reasons stand in search_dead_letters; correct the rows, or allow more with --allow-dead-letters.`;
    return { ...reindex, state: 'failed', error, refused: true };
  }
  return reindex;
}
