import { z } from 'zod';
import { dayMs } from '../lib/durations.ts';

// Rules for names of keys and passkeys, and for the expiry of keys.

/** In characters, counted as Unicode code points. */
const nameMax = 100;

/** Characters that change the reading of the text around them, or that are invisible. */
const misleading = /[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Noncharacter_Code_Point}]/u;

/** Characters that are invisible, alone or together. */
const unseen = /^[\s\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Returns the problem with a name, or null. Surrounding blanks are ignored. */
function nameProblem(name: string): string | null {
  if (unseen.test(name)) return 'must not be empty';
  if (Array.from(name.trim()).length > nameMax) return `must be at most ${nameMax} characters long`;
  return misleading.test(name) ? 'must not hold control characters' : null;
}

/** A name of a key or passkey. Events and messages contain it, so it must not change how the text around it reads. */
export const visibleName = z
  .string()
  .max(4 * nameMax)
  .check((context) => {
    const message = nameProblem(context.value);
    if (message !== null) context.issues.push({ code: 'custom', message, input: context.value });
  })
  .overwrite((name) => name.trim())
  .describe(`At most ${nameMax} characters`);

/** About ten years. For a longer life, create a key without an expiry. */
const expiryMaxMs = 3_653 * dayMs;

export function keyExpiryProblem(expiresAt: Date, nowMs: number): string | null {
  const leftMs = expiresAt.getTime() - nowMs;
  if (leftMs <= 0) return 'must be in the future';
  return leftMs > expiryMaxMs ? 'must be within ten years, or null for a key that does not expire' : null;
}
