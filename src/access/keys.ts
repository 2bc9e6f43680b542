import type { PlanLimits } from './quota.ts';

interface Plan extends PlanLimits {
  readonly name: string;
  readonly active: boolean;
}

/** The caller whose calls are counted: the account of a key, or of a session. */
export interface Caller {
  readonly accountId: number;
  readonly plan: Plan;
}

/** A key in Postgres. Times are milliseconds since 1970; null means never. */
export interface KeyRecord extends Caller {
  readonly keyId: number;
  readonly accountActive: boolean;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
}

/** A key, null if it doesn't exist, or a failure of Postgres. */
export type KeyLookup =
  | { readonly ok: true; readonly key: KeyRecord | null }
  | { readonly ok: false; readonly cause: unknown };

/** Looks up keys by their SHA-256 (32 bytes). */
export interface KeyDirectory {
  find(hash: Buffer): Promise<KeyLookup>;
}

/** Notes every accepted key; writes its last use lazily. */
export interface KeyUsage {
  record(keyId: number): void;
}

export function isDead({ revokedAtMs, expiresAtMs }: KeyRecord, nowMs: number): boolean {
  return [revokedAtMs, expiresAtMs].some((endedAtMs) => endedAtMs !== null && endedAtMs <= nowMs);
}
