import { dayMs } from '../lib/durations.ts';

// Rules for the names and expiry of keys.

/** In characters, counted as Unicode code points. */
export const keyNameMax = 100;

/** Characters that change the reading of the text around them, or that are invisible. */
const misleading = /[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Noncharacter_Code_Point}]/u;

/** Characters that show nothing, neither by themselves nor in a row. */
const unseen = /^[\s\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Returns the problem of a name, or null. Blanks around it do not count. */
export function keyNameProblem(name: string): string | null {
  if (unseen.test(name)) return 'must not be empty';
  if (Array.from(name.trim()).length > keyNameMax) return `must be at most ${keyNameMax} characters long`;
  return misleading.test(name) ? 'must not hold control characters' : null;
}

/** Some ten years; a longer key has no expiry. */
const expiryMaxMs = 3_653 * dayMs;

/** Returns the problem of a key's expiry, or null. */
export function keyExpiryProblem(expiresAt: Date, nowMs: number): string | null {
  const leftMs = expiresAt.getTime() - nowMs;
  if (leftMs <= 0) return 'must be in the future';
  return leftMs > expiryMaxMs ? 'must be within ten years, or null for a key that does not expire' : null;
}
