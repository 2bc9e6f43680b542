import { z } from 'zod';
import { count } from '../lib/wire-schema.ts';

/** The limits of a plan; null: no limit. */
export interface PlanLimits {
  readonly callsPerMinute: number | null;
  readonly callsPerMonth: number | null;
}

/** The calls used in the current minute and month, and the milliseconds until each of them ends. */
export interface CallsUsed {
  readonly minute: number;
  readonly minuteLeftMs: number;
  readonly month: number;
  readonly monthLeftMs: number;
}

/** The calls left under one limit until its reset. */
export interface Allowance {
  readonly limit: number;
  readonly left: number;
  readonly resetMs: number;
}

/** The calls left under a plan's limits; null for a limit that the plan doesn't have, or if the usage is unknown. */
export interface QuotaStatus {
  readonly minute: Allowance | null;
  readonly month: Allowance | null;
}

export const callVerdicts = ['admitted', 'rate_limited', 'quota_exceeded'] as const;
export type CallVerdict = (typeof callVerdicts)[number];

export const unlimitedStatus: QuotaStatus = { minute: null, month: null };

export function isUnlimited(limits: PlanLimits): boolean {
  return limits.callsPerMinute === null && limits.callsPerMonth === null;
}

/** More calls than the limit may have been used if the plan was made smaller: then 0 are left. */
export function quotaStatus(limits: PlanLimits, used: CallsUsed): QuotaStatus {
  return {
    minute: allowance(limits.callsPerMinute, used.minute, used.minuteLeftMs),
    month: allowance(limits.callsPerMonth, used.month, used.monthLeftMs),
  };
}

function allowance(limit: number | null, used: number, resetMs: number): Allowance | null {
  return limit === null ? null : { limit, left: Math.max(0, limit - used), resetMs };
}

/** Returns the limit with fewer calls left; null if there is none. */
export function tighterLimit({ minute, month }: QuotaStatus): Allowance | null {
  if (minute === null || month === null) return minute ?? month;
  return month.left < minute.left ? month : minute;
}

/** The decision about a number of calls. */
export interface QuotaReservation {
  readonly verdict: CallVerdict;
  /** The quota after the calls were counted, or unchanged if they were refused. */
  readonly status: QuotaStatus;
  /** Returns admitted calls to the quota, once. Resolves with the quota after that. Never rejects. */
  refund(): Promise<QuotaStatus>;
}

/** The usage of an account, or a failure of Postgres. */
export type UsageLookup =
  | { readonly ok: true; readonly used: CallsUsed; readonly today: number }
  | { readonly ok: false; readonly cause: unknown };

/** Counts the calls of accounts, for all processes together. */
export interface QuotaStore {
  /** Counts `cost` calls if that many are left, otherwise none. Never rejects. */
  reserve(accountId: number, cost: number, limits: PlanLimits): Promise<QuotaReservation>;
  used(accountId: number): Promise<UsageLookup>;
}

const nullableCount = count.nullable().describe('Null: no limit');

/** The limits of a plan and their usage. */
export const usageShape = {
  plan: z.string(),
  limits: z.strictObject({ calls_per_minute: nullableCount, calls_per_month: nullableCount }),
  used: z.strictObject({ this_minute: count, today: count, this_month: count }),
  resets_in_seconds: z.strictObject({ minute: count, month: count }),
};
