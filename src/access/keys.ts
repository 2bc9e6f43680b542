import type { PlanLimits } from './quota.ts';

interface Plan extends PlanLimits {
  readonly name: string;
  readonly active: boolean;
}

/** Whose calls are counted: the account of a key, or of a session. */
export interface Caller {
  readonly accountId: number;
  readonly plan: Plan;
}

/** What Postgres knows about a key. Times are milliseconds since 1970; null means never. */
export interface KeyRecord extends Caller {
  readonly keyId: number;
  readonly accountActive: boolean;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
}

/** A found key, null for one that does not exist, or Postgres could not be asked. */
export type KeyLookup =
  | { readonly ok: true; readonly key: KeyRecord | null }
  | { readonly ok: false; readonly cause: unknown };

/** Where keys are looked up by their SHA-256 (32 bytes). */
export interface KeyDirectory {
  find(hash: Buffer): Promise<KeyLookup>;
}

/** Told of every accepted key; writes lazily when each was last used. */
export interface KeyUsage {
  record(keyId: number): void;
}

/** Whether a key was revoked or has expired. */
export function isDead({ revokedAtMs, expiresAtMs }: KeyRecord, nowMs: number): boolean {
  return [revokedAtMs, expiresAtMs].some((endedAtMs) => endedAtMs !== null && endedAtMs <= nowMs);
}
