import type { PlanLimits } from '../access/quota.ts';
import type { Hex } from '../payments/protocol/networks.ts';
import type { OpenSession, Passkey, SignInMethod, Wallet } from './answers.ts';
import type {
  ChallengeBinding,
  GivenChallenge,
  KnownCredential,
  NewCredential,
  PasskeyProof,
  StoredPasskey,
  WalletProof,
} from './credentials.ts';
import type { EventCursor, EventPage } from './events.ts';

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

/** An account's sessions, as its owner sees and ends them. */
export interface SessionList {
  /** Those of an account that may be used now, the last used first. */
  list(accountId: number): Promise<Stored<readonly OpenSession[]>>;
  /** Ends one of the account's sessions; false where it has none of this id. */
  revoke(accountId: number, sessionId: number, actor: Actor): Promise<Stored<boolean>>;
  signOut(accountId: number, sessionId: number, actor: Actor): Promise<Stored<boolean>>;
  /** Ends all of an account's sessions; answers how many. */
  signOutEverywhere(accountId: number, actor: Actor): Promise<Stored<number>>;
}

/** What Postgres answered, or why it could not be asked. */
export type Stored<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly cause: unknown };

export interface ChallengeStore {
  /** @param content the message as it is to be signed, or the passkey's challenge */
  add(binding: ChallengeBinding, content: string, validMs: number): Promise<Stored<void>>;
  /** Whether it was given so and has neither expired nor been used. Does not use it up. */
  isOpen(challenge: GivenChallenge): Promise<Stored<boolean>>;
  /** Uses it up without any effect: what came back with it was not good. */
  discard(challenge: GivenChallenge): Promise<Stored<void>>;
}

/** A session to be, from a browser. */
export interface NewSession {
  /** SHA-256 of its token. */
  readonly hash: Buffer;
  /** SHA-256 of the token of the session that this browser had; it ends. */
  readonly replaces: Buffer | null;
  readonly ip: string;
  readonly userAgent: string;
}

/** Why nobody was signed in. `used`: the challenge, by another request or by time. */
export type SignInRefusal = 'used' | 'unknown' | 'suspended';

export type SignInOutcome =
  | { readonly ok: true; readonly session: Session }
  | { readonly ok: false; readonly reason: SignInRefusal };

export interface PasskeyStore {
  find(credentialId: Buffer): Promise<Stored<StoredPasskey | null>>;
  list(accountId: number): Promise<Stored<readonly StoredPasskey[]>>;
}

/** The ways into an account. Each use of a challenge and what follows from it are one transaction. */
export interface SignInStore {
  /** Whether the wallet belongs to an account. */
  knowsWallet(address: Hex): Promise<Stored<boolean>>;
  withWallet(proof: WalletProof, session: NewSession): Promise<Stored<SignInOutcome>>;
  withPasskey(proof: PasskeyProof, session: NewSession): Promise<Stored<SignInOutcome>>;
  /** Opens an account for the wallet, unless it has one meanwhile, and signs in. `no plan`: there is none of that name. */
  openAccount(proof: WalletProof, plan: string, session: NewSession): Promise<Stored<SignInOutcome | 'no plan'>>;
}

/** An invitation that may be accepted now. */
export interface Invitation {
  readonly accountId: number;
  readonly account: string;
  readonly plan: string;
  readonly expiresAt: Date;
}

/** Links that give a wallet or a passkey to an account, once. */
export interface InvitationStore {
  /** By the SHA-256 of its token. Null for unknown, used and expired ones, and where the account is suspended. */
  find(hash: Buffer): Promise<Stored<Invitation | null>>;
  /** Uses the invitation up, gives the credential to its account and signs in: all of it, or nothing. */
  accept(hash: Buffer, credential: NewCredential, session: NewSession): Promise<Stored<AcceptOutcome>>;
}

/** Why an invitation was not accepted. `used`: the challenge; `invalid`: the invitation. */
export type AcceptRefusal = 'used' | 'invalid' | AddRefusal;
export type AcceptOutcome =
  | { readonly ok: true; readonly session: Session }
  | { readonly ok: false; readonly reason: AcceptRefusal };

/** Why a credential cannot be added: it opens an account already, or the account has as many as it may. */
export type AddRefusal = 'taken' | 'too many';

/** Who changes what opens an account, in which session. */
export interface Changing {
  readonly accountId: number;
  readonly sessionId: number;
  readonly actor: Actor;
}

/** What opens an account. A change takes the confirmation that the session has for one. */
export interface CredentialStore {
  list(
    accountId: number,
  ): Promise<Stored<{ readonly wallets: readonly Wallet[]; readonly passkeys: readonly Passkey[] }>>;
  /** Lets the session make one change, until the answered time; null where the credential is not the account's. */
  confirm(who: Changing, credential: KnownCredential): Promise<Stored<Date | null>>;
  /** Answers the new one's id. */
  add(
    who: Changing,
    credential: NewCredential,
  ): Promise<Stored<{ readonly id: number } | { readonly refused: AddRefusal | 'used' | 'unconfirmed' }>>;
  remove(
    who: Changing,
    kind: NewCredential['kind'],
    id: number,
  ): Promise<Stored<'removed' | 'missing' | 'last' | 'unconfirmed'>>;
}

/** What was done in accounts. */
export interface EventStore {
  /** Of an account and its keys, the newest first. */
  list(accountId: number, limit: number, before?: EventCursor): Promise<Stored<EventPage>>;
}

/** Whether the contract at an address says that a signature is its own. */
export type ContractAnswer =
  | { readonly ok: true; readonly valid: boolean }
  | { readonly ok: false; readonly cause: unknown };

/** Asks the chain about the signatures of wallets that are contracts (ERC-1271, ERC-6492). */
export interface ContractWallets {
  /** Never rejects; not ok where the chain could not be asked. */
  verify(signed: { readonly address: Hex; readonly message: string; readonly signature: Hex }): Promise<ContractAnswer>;
}

/** What the account page needs from outside. */
export interface AccountPorts {
  readonly sessions: SessionStore;
  readonly sessionList: SessionList;
  readonly challenges: ChallengeStore;
  readonly signIn: SignInStore;
  readonly invitations: InvitationStore;
  readonly passkeys: PasskeyStore;
  readonly credentials: CredentialStore;
  readonly events: EventStore;
  /** Null where no node of the chain is configured. */
  readonly contractWallets: ContractWallets | null;
}
