import type { z } from 'zod';
import type { KeyEnvironment } from '../access/api-key.ts';
import type { CallCount } from '../access/calls.ts';
import type { PlanLimits } from '../access/quota.ts';
import type { Hex } from '../payments/protocol/networks.ts';
import type {
  AccountEvent,
  AccountKey,
  Generation,
  OpenSession,
  OperatorAccount,
  OperatorAccountDetail,
  Passkey,
  SignInMethod,
  storedPayment,
  Wallet,
} from './answers.ts';
import type {
  ChallengeBinding,
  GivenChallenge,
  KnownCredential,
  NewCredential,
  StoredPasskey,
  WalletProof,
} from './credentials.ts';

/** A valid session of an account. */
export interface Session {
  readonly sessionId: number;
  readonly method: SignInMethod;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /**
   * The end of the time in which one change of wallets or passkeys may be made; null if no change was confirmed, or the
   * confirmation was used.
   */
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

/** The author of a change and their address, for audits. */
export interface Actor {
  /** Such as `wallet 0x12…ef` or `session 7`. */
  readonly name: string;
  readonly ip: string;
}

/** The sessions of accounts. */
export interface SessionStore {
  /** Finds a session by the SHA-256 of the cookie's token. Null for unknown, revoked, expired and idle sessions. */
  find(hash: Buffer): Promise<Session | null>;
  /** Returns the account's valid sessions, the last used first. */
  list(accountId: number): Promise<readonly OpenSession[]>;
  /** Ends one of the account's sessions; false if it has none of this id. */
  end(accountId: number, sessionId: number, action: 'signed_out' | 'session_revoked', actor: Actor): Promise<boolean>;
  /** Ends all of an account's sessions and returns their number. */
  endAll(accountId: number, actor: Actor): Promise<number>;
}

/** Thrown by all stores and services if Postgres or the chain's node did not answer. */
export class Unavailable extends Error {
  readonly system: 'postgres' | 'chain';

  constructor(system: 'postgres' | 'chain', cause: unknown) {
    super(`The ${system} did not answer.`, { cause });
    this.name = 'Unavailable';
    this.system = system;
  }
}

export interface ChallengeStore {
  /** @param content the message to sign, or the passkey's challenge */
  add(binding: ChallengeBinding, content: string, validMs: number): Promise<void>;
  /** Returns true if the challenge was issued, has not expired and has not been used. Does not use it up. */
  isOpen(challenge: GivenChallenge): Promise<boolean>;
  /** Invalidates a challenge that got an invalid answer. */
  discard(challenge: GivenChallenge): Promise<void>;
}

/** A session to create for a browser. */
export interface NewSession {
  /** SHA-256 of its token. */
  readonly hash: Buffer;
  /** SHA-256 of the token of the browser's earlier session, which ends. */
  readonly replaces: Buffer | null;
  readonly ip: string;
  readonly userAgent: string;
}

/**
 * The reason for a refusal.
 * - `used`: the challenge was used by another request, or has expired
 * - `unknown`: the wallet has no account
 * - `invalid`: the invitation
 * - `taken`: the credential belongs to an account
 * - `unconfirmed`: the session has no confirmation
 * - `missing`: the account does not have the credential; `last`: it has no other one
 */
export type Refusal =
  | 'used'
  | 'unknown'
  | 'suspended'
  | 'no plan'
  | 'invalid'
  | 'taken'
  | 'too many'
  | 'unconfirmed'
  | 'missing'
  | 'last';

/** Sign-in by wallet or passkey. The use of a challenge and its effects are one transaction. */
export interface SignInStore {
  /** Returns true if the wallet belongs to an account. */
  knowsWallet(address: Hex): Promise<boolean>;
  enter(credential: KnownCredential, session: NewSession): Promise<Session | Refusal>;
  /** Creates an account for the wallet unless it has one by now, and signs in. */
  openAccount(proof: WalletProof, plan: string, session: NewSession): Promise<Session | Refusal>;
}

/** A valid invitation. */
export interface Invitation {
  readonly accountId: number;
  readonly account: string;
  readonly plan: string;
  readonly expiresAt: Date;
}

/** Links with which one wallet or passkey can be added to an account. */
export interface InvitationStore {
  /**
   * Finds an invitation by the SHA-256 of its token. Null if it is unknown, used or expired, or its account is
   * suspended.
   */
  find(hash: Buffer): Promise<Invitation | null>;
  /** Uses up the invitation, adds the credential to its account and signs in, in one transaction. */
  accept(hash: Buffer, credential: NewCredential, session: NewSession): Promise<Session | Refusal>;
}

/** The account whose credentials are changed, and the session that changes them. */
export interface Changing {
  readonly accountId: number;
  readonly sessionId: number;
  readonly actor: Actor;
}

/** The credentials of accounts. Each change uses up the session's confirmation. */
export interface CredentialStore {
  list(accountId: number): Promise<{ readonly wallets: readonly Wallet[]; readonly passkeys: readonly Passkey[] }>;
  findPasskey(credentialId: Buffer): Promise<StoredPasskey | null>;
  passkeysOf(accountId: number): Promise<readonly StoredPasskey[]>;
  /** Allows the session one change, until the returned time; null if the credential is not the account's. */
  confirm(who: Changing, credential: KnownCredential): Promise<Date | null>;
  /** Returns the id of the new credential. */
  add(who: Changing, credential: NewCredential): Promise<number | Refusal>;
  /** Returns null if the credential was removed, otherwise the reason for the refusal. */
  remove(who: Changing, kind: NewCredential['kind'], id: number): Promise<Refusal | null>;
}

export interface EventStore {
  /**
   * Returns events of an account and its keys, the newest first.
   * @param before the id of an event; only older ones are returned. Null: start with the newest
   */
  list(accountId: number, limit: number, before: string | null): Promise<readonly AccountEvent[]>;
}

/** Checks signatures of contract wallets on the chain (ERC-1271, ERC-6492). */
export interface ContractWallets {
  /** Returns true if the wallet signed the message. */
  verify(signed: { readonly address: Hex; readonly message: string; readonly signature: Hex }): Promise<boolean>;
}

interface NewAccountKey {
  readonly name: string;
  readonly environment: KeyEnvironment;
  readonly expiresAt: Date | null;
}

/** A new key with its text, which is not stored. */
interface CreatedKey {
  readonly key: string;
  readonly created: AccountKey;
}

/**
 * `unknown`: the account has no such key. `ended`: the key no longer works. `too_many`: the account has too many keys.
 */
type RotationRefusal = 'unknown' | 'ended' | 'too_many';

/** The keys of accounts. Each method sees only the keys of the given account. */
export interface AccountKeys {
  /** Lists live keys first, then the newest; a few hundred at most. */
  list(accountId: number): Promise<readonly AccountKey[]>;
  create(accountId: number, key: NewAccountKey, actor: Actor): Promise<CreatedKey | 'too_many'>;
  /**
   * Creates a successor of a valid key, with the same name, environment and lifetime. The old key ends after the
   * overlap, or at its own expiry if that is earlier.
   */
  rotate(
    accountId: number,
    keyId: number,
    overlapMs: number,
    actor: Actor,
  ): Promise<(CreatedKey & { readonly replaced: AccountKey }) | RotationRefusal>;
  /** Renames a key and returns it; null if there is none. */
  rename(accountId: number, keyId: number, name: string, actor: Actor): Promise<AccountKey | null>;
  /** Ends a key and returns it, also if it had already ended; null if there is none. */
  revoke(accountId: number, keyId: number, actor: Actor): Promise<AccountKey | null>;
}

// The data and actions of operators, in all accounts. Times are ISO 8601 in UTC.

/** The state of one index according to Postgres. */
export type GenerationState = Omit<Generation, 'documents'>;

/** Payments of one state and token; `amount` is in base units. */
export interface PaymentSum {
  readonly status: string;
  readonly network: string;
  readonly asset: string;
  readonly count: number;
  readonly amount: string;
}

export interface LedgerOverview {
  readonly sums: readonly PaymentSum[];
  /** The time of the last complete comparison with the chain; null if a recipient was never compared. */
  readonly audited_at: string | null;
  readonly recipients: number;
  readonly open_findings: number;
}

/** The account concerned, and the acting operator. */
export interface OperatorAct {
  readonly accountId: number;
  /** The operator's own account. */
  readonly operatorId: number;
  readonly actor: Actor;
}

/** Null if there is no such account or key. */
export interface OperatorDesk {
  /**
   * Returns accounts with ids after `after`, in the order of ids.
   * @param text part of a name, or a whole wallet address; null: all
   */
  accounts(text: string | null, after: number, limit: number): Promise<readonly OperatorAccount[]>;
  account(id: number): Promise<OperatorAccountDetail | null>;
  index(): Promise<readonly GenerationState[]>;
  ledger(): Promise<LedgerOverview>;
  suspend(act: OperatorAct, suspended: boolean): Promise<OperatorAccount | null>;
  /** `no plan`: there is no active plan of that name. */
  changePlan(act: OperatorAct, plan: string): Promise<OperatorAccount | 'no plan' | null>;
  revokeKey(keyId: number, act: Omit<OperatorAct, 'accountId'>): Promise<AccountKey | null>;
}

export type AccountPayment = z.output<typeof storedPayment>;

/** The payments of an account's wallets, the newest first. */
export interface AccountPayments {
  /** @param before the id of a payment; only older ones are returned. Null: start with the newest */
  list(accountId: number, page: { limit: number; before: number | null }): Promise<readonly AccountPayment[]>;
  find(accountId: number, paymentId: number): Promise<AccountPayment | null>;
}

/** All stores and services behind the account pages. */
export interface AccountData {
  readonly sessions: SessionStore;
  readonly challenges: ChallengeStore;
  readonly signIn: SignInStore;
  readonly invitations: InvitationStore;
  readonly credentials: CredentialStore;
  readonly events: EventStore;
  /** Null if no node of the chain is configured. */
  readonly contractWallets: ContractWallets | null;
  readonly keys: AccountKeys;
  readonly callCounts: {
    /** Returns the oldest day first. */
    read(accountId: number, days: number): Promise<readonly CallCount[]>;
  };
  readonly payments: AccountPayments;
  readonly operator: OperatorDesk;
}
