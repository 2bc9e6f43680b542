import { dayMs } from '../lib/durations.ts';

// What an account may say of its keys.

/** In characters, counted as Unicode code points. */
export const keyNameMax = 100;

/** Characters that change how a text around them reads, or that nobody sees. */
const misleading = /[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Noncharacter_Code_Point}]/u;

/** What shows nothing, neither by itself nor in a row. */
const unseen = /^[\s\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** What is wrong with a name, or null. Blanks around it do not count. */
export function keyNameProblem(name: string): string | null {
  if (unseen.test(name)) return 'must not be empty';
  if (Array.from(name.trim()).length > keyNameMax) return `must be at most ${keyNameMax} characters long`;
  return misleading.test(name) ? 'must not hold control characters' : null;
}

/** Some ten years; who wants more, says that it never expires. */
const expiryMaxMs = 3_653 * dayMs;

/** What is wrong with the moment at which a key is to expire, or null. */
export function keyExpiryProblem(expiresAt: Date, nowMs: number): string | null {
  const leftMs = expiresAt.getTime() - nowMs;
  if (leftMs <= 0) return 'must be in the future';
  return leftMs > expiryMaxMs ? 'must be within ten years, or null for a key that does not expire' : null;
}
