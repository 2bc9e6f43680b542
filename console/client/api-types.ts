/**
 * What /account/api answers, as its OpenAPI document (`/account/api/openapi.json`) says. Times are ISO 8601 in UTC,
 * ids are those of the rows, amounts of money decimal text.
 */

export type Role = 'member' | 'operator';

interface SignInTerms {
  readonly sign_up: 'closed' | 'invited' | 'open';
  /** What can be signed in with at this address, and what to do about what can't. */
  readonly sign_in: {
    readonly available: boolean;
    readonly wallets: boolean;
    readonly passkeys: boolean;
    readonly reason: string | null;
  };
  readonly chain_id: number;
  readonly visitor_searches_per_minute: number;
  /** Only in a demo: a wallet of play money that everybody may sign with. */
  readonly demo_wallet: { readonly private_key: `0x${string}` } | null;
}

/** Of a plan; null where it has no such limit. */
export interface Limits {
  readonly calls_per_minute: number | null;
  readonly calls_per_month: number | null;
}

interface Visitor extends SignInTerms {
  readonly signed_in: false;
}

export interface SignedIn extends SignInTerms {
  readonly signed_in: true;
  readonly account: {
    readonly id: number;
    readonly name: string;
    readonly plan: string;
    readonly role: Role;
    readonly active: boolean;
    readonly limits: Limits;
  };
  readonly session: {
    readonly id: number;
    readonly method: SignInMethod;
    readonly created_at: string;
    readonly expires_at: string;
    readonly confirmed: boolean;
  };
}

export type SessionState = Visitor | SignedIn;
export type SignInMethod = 'wallet' | 'passkey' | 'invitation';

/** What a signature is for. One made for one purpose is refused for another. */
export type Purpose = 'sign-in' | 'confirm' | 'add' | 'invitation';

/** A message as the server wrote it, and the wallet's signature of it. */
export interface SignedMessage {
  readonly message: string;
  readonly signature: string;
}

export interface Invitation {
  readonly account: string;
  readonly plan: string;
  readonly expires_at: string;
}

export interface Wallet {
  readonly id: number;
  readonly address: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

export interface Passkey {
  readonly id: number;
  readonly name: string;
  readonly backed_up: boolean;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

/** One browser that is signed in. */
export interface SessionEntry {
  readonly id: number;
  readonly current: boolean;
  readonly method: SignInMethod;
  readonly ip: string;
  readonly user_agent: string;
  readonly created_at: string;
  readonly last_seen_at: string;
  readonly expires_at: string;
}

export interface Security {
  readonly wallets: readonly Wallet[];
  readonly passkeys: readonly Passkey[];
  readonly sessions: readonly SessionEntry[];
}

export interface AccountEvent {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly actor: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly ip: string | null;
}

export interface Events {
  readonly events: readonly AccountEvent[];
  readonly next: string | null;
}

export type Environment = 'live' | 'test';

export interface ApiKey {
  readonly id: number;
  readonly name: string;
  readonly environment: Environment;
  readonly prefix: string;
  readonly state: 'live' | 'expired' | 'revoked';
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly expires_at: string | null;
}

export interface Keys {
  readonly plan: string;
  readonly keys: readonly ApiKey[];
}

/** A new key. `key` is told this once. */
export interface CreatedKey extends ApiKey {
  readonly key: string;
}

export interface CallCount {
  readonly day: string;
  readonly endpoint: string;
  /** `answered`, or the code of the error. */
  readonly outcome: string;
  readonly calls: number;
}

export interface Usage {
  readonly plan: string;
  readonly limits: Limits;
  readonly used: { readonly this_minute: number; readonly today: number; readonly this_month: number };
  readonly resets_in_seconds: { readonly minute: number; readonly month: number };
  readonly calls: readonly CallCount[];
}

export interface Payment {
  readonly id: number;
  readonly status: string;
  readonly network: string;
  readonly payer: string;
  readonly amount: string;
  readonly amount_usd: string;
  readonly asset_symbol: string;
  readonly transaction: string | null;
  readonly transaction_url: string | null;
  readonly confirmed: boolean;
  readonly created_at: string;
  readonly settled_at: string | null;
  readonly delivered_at: string | null;
  readonly request: {
    readonly q: string;
    readonly type?: string;
    readonly limit?: number;
    readonly page?: number;
  } | null;
}

export interface Payments {
  readonly payments: readonly Payment[];
  readonly next: number | null;
}

export interface OperatorAccount {
  readonly id: number;
  readonly name: string;
  readonly plan: string;
  readonly role: Role;
  readonly active: boolean;
  readonly live_keys: number;
  readonly used_this_month: number;
  readonly created_at: string;
}

export interface OperatorAccounts {
  readonly accounts: readonly OperatorAccount[];
  readonly next: number | null;
}

export interface OperatorAccountDetail {
  readonly account: OperatorAccount;
  readonly keys: readonly ApiKey[];
  readonly calls_by_day: readonly { readonly day: string; readonly calls: number }[];
}

export interface Plan extends Limits {
  readonly name: string;
  readonly active: boolean;
}

export interface Generation {
  readonly kind: string;
  readonly index: string;
  readonly state: string;
  readonly searched: boolean;
  readonly documents: number | null;
  readonly pending: number | null;
  readonly lag_seconds: number | null;
  /** Why it is not followed; null where it is. */
  readonly halted: string | null;
  readonly created_at: string;
}

export interface DeadLetter {
  readonly kind: string;
  readonly generation: string;
  readonly entity_id: number;
  readonly reason: string;
  readonly attempts: number;
  readonly at: string;
}

/** The last comparison of an index with its table. */
export interface Verification {
  readonly generation: string;
  readonly at: string;
  /** `equal`, `different`, `unjudged` or `incomplete`. */
  readonly outcome: string;
  readonly rows: number;
  readonly differences: number;
  readonly deep: boolean;
}

export interface IndexState {
  readonly generations: readonly Generation[];
  readonly dead_letters: readonly DeadLetter[];
  readonly dead_letters_total: number;
  /** By kind. */
  readonly verify: Readonly<Record<string, Verification>> | null;
}

export interface OperatorPayments {
  readonly by_status: readonly { readonly status: string; readonly count: number; readonly amount_usd: string }[];
  readonly audit: {
    /** Null where some recipient was not compared yet. */
    readonly finished_at: string | null;
    readonly recipients: number;
    readonly open_findings: number;
  } | null;
}
