/** What an account has called. `console`: searches of whoever is signed in to its page. */
export const callEndpoints = ['search', 'suggest', 'records', 'similar', 'bulk', 'usage', 'console'] as const;
export type CallEndpoint = (typeof callEndpoints)[number];

/** Calls of one kind. */
export interface Calls {
  readonly accountId: number;
  readonly endpoint: CallEndpoint;
  /** `answered`, or the code of the error. */
  readonly outcome: string;
  readonly calls: number;
}

/** Told of every request of an account when it is over; writes lazily. */
export interface CallCounter {
  record(calls: Calls): void;
}

/** Calls of one day (`YYYY-MM-DD`, UTC). */
export interface CallCount extends Omit<Calls, 'accountId'> {
  readonly day: string;
}

/** For so many days they are kept, the one under way included. */
export const callDaysMax = 90;
