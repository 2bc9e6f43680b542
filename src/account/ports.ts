import type { PlanLimits } from '../access/quota.ts';

/** How somebody signed in. */
export type SignInMethod = 'wallet' | 'passkey' | 'invitation';

/** An account's session that may be used now. */
export interface Session {
  readonly sessionId: number;
  readonly method: SignInMethod;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** Until when one change of wallets or passkeys may be made; null where it was not confirmed, or was used. */
  readonly confirmedUntilMs: number | null;
  readonly account: SessionAccount;
}

interface SessionAccount {
  readonly id: number;
  readonly name: string;
  readonly role: 'member' | 'operator';
  readonly active: boolean;
  readonly plan: PlanLimits & { readonly name: string; readonly active: boolean };
}

/** Who did something, for audits, and from where. */
export interface Actor {
  /** Such as `wallet 0x12…ef` or `session 7`. */
  readonly name: string;
  readonly ip: string;
}

/** A session, null where there is none that may be used, or Postgres could not be asked. */
export type SessionLookup =
  | { readonly ok: true; readonly session: Session | null }
  | { readonly ok: false; readonly cause: unknown };

/** Who is signed in, by the SHA-256 of the cookie's token. */
export interface SessionStore {
  /** Null for unknown, revoked, expired and idle ones. Never rejects. */
  find(hash: Buffer): Promise<SessionLookup>;
}

/** What the account page needs from outside. */
export interface AccountPorts {
  readonly sessions: SessionStore;
}
