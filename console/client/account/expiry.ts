import { dayMs } from '../../shared/durations.ts';

export const expiryChoices = ['never', '30', '90', '365', 'date'] as const;
export type ExpiryChoice = (typeof expiryChoices)[number];

/** The chosen expiry in the form of the API, or the error of the choice. */
export type Expiry =
  | { readonly ok: true; readonly expiresAt: string | null }
  | { readonly ok: false; readonly error: string };

/**
 * @param date such as `2027-01-31`, for the choice `date`: the key works to the end of that day, in the reader's zone
 */
export function expiryOf(choice: ExpiryChoice, date: string, nowMs: number): Expiry {
  if (choice === 'never') return { ok: true, expiresAt: null };
  if (choice !== 'date') return { ok: true, expiresAt: new Date(nowMs + Number(choice) * dayMs).toISOString() };
  const end = new Date(`${date}T23:59:59`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || Number.isNaN(end.getTime()))
    return { ok: false, error: 'Choose the last day on which the key works.' };
  if (end.getTime() <= nowMs) return { ok: false, error: 'Choose today or a day to come.' };
  return { ok: true, expiresAt: end.toISOString() };
}

export function isExpiryChoice(text: string): text is ExpiryChoice {
  return expiryChoices.some((choice) => choice === text);
}
