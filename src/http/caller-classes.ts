const kibibyte = 1_024;
const second = 1_000;

/**
 * The classes of callers, and their limits: the class's share of REQUESTS_MAX, which other classes cannot use, and the
 * size and time of a body.
 * - `keyed`: a valid key
 * - `account`: a session, or a change of an account such as signing in
 * - `payer`: a request of the paid search
 * - `visitor`: all others
 */
export const callerClasses = {
  keyed: { slotsShare: 1 / 2, bodyMaxBytes: 256 * kibibyte, bodyTimeoutMs: 30 * second },
  account: { slotsShare: 1 / 6, bodyMaxBytes: 64 * kibibyte, bodyTimeoutMs: 10 * second },
  payer: { slotsShare: 1 / 6, bodyMaxBytes: 64 * kibibyte, bodyTimeoutMs: 10 * second },
  visitor: { slotsShare: 1 / 6, bodyMaxBytes: 64 * kibibyte, bodyTimeoutMs: 10 * second },
} as const;
export type CallerClass = keyof typeof callerClasses;
