/** What decides whether a key may call. Times are milliseconds since 1970; null means never. */
export interface KeyStanding {
  readonly accountActive: boolean;
  readonly plan: { readonly active: boolean };
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
}

export type Verdict = 'accepted' | 'refused' | 'inactive';

/**
 * Whether a key may call now. A key that is dead is refused whatever its account; only a living key's owner is told
 * that the account or its plan is not active.
 */
export function judgeKey(key: KeyStanding | null, nowMs: number): Verdict {
  if (key === null) return 'refused';
  if (key.revokedAtMs !== null && key.revokedAtMs <= nowMs) return 'refused';
  if (key.expiresAtMs !== null && key.expiresAtMs <= nowMs) return 'refused';
  return key.accountActive && key.plan.active ? 'accepted' : 'inactive';
}
