/** The calls of an account. `console`: searches on its page while signed in. */
export const callEndpoints = ['search', 'suggest', 'records', 'similar', 'bulk', 'usage', 'console'] as const;
export type CallEndpoint = (typeof callEndpoints)[number];

export interface Calls {
  readonly accountId: number;
  readonly endpoint: CallEndpoint;
  /** `answered`, or the code of the error. */
  readonly outcome: string;
  readonly calls: number;
}

/** Counts every request of an account when it has ended; writes lazily. */
export interface CallCounter {
  record(calls: Calls): void;
}

/** Calls of one day (`YYYY-MM-DD`, UTC). */
export interface CallCount extends Omit<Calls, 'accountId'> {
  readonly day: string;
}

/** Number of days that counts are kept, today included. */
export const callDaysMax = 90;
