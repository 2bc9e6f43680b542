import { ApiError, errorOf } from './errors.ts';

// Errors of the account page's API. Codes and statuses are in codes.ts.

export class NotSignedIn extends ApiError {
  constructor(sentence = 'This browser is not signed in, or the session has ended: sign in again.') {
    super({ code: 'not_signed_in' }, sentence);
  }
}

/** The reason why nothing works at an address that may be anyone's. */
export const addressUnknown =
  'The account pages have another address. The operator must set PUBLIC_URL to the address that browsers use.';

/** A change that was not requested by a page of this service. */
export class ForeignOrigin extends ApiError {
  /** @param origin origin of this service's pages, or null without PUBLIC_URL */
  constructor(origin: string | null) {
    super(
      { code: 'foreign_origin' },
      origin === null ? addressUnknown : `Only pages of ${origin} may change accounts: send "Origin: ${origin}".`,
    );
  }
}

/** An address at which this way to sign in does not work. */
export class SignInUnavailable extends ApiError {
  /** @param reason a sentence with the next step */
  constructor(reason: string) {
    super({ code: 'foreign_origin' }, reason);
  }
}

export const OperatorOnly = errorOf('operator_only', 'Only operators may do this: ask one, or use the command line.');

export const AccountSuspended = errorOf(
  'account_suspended',
  'This account is suspended: ask the operator of this service.',
);

/** `PlanInactive` for people who are signed in. */
export const AccountPlanInactive = errorOf(
  'plan_inactive',
  "This account's plan is not active: ask the operator of this service.",
);

/** A failed attempt to sign in. Its reasons are not distinguished. */
export class SignInFailed extends ApiError {
  /** @param more a sentence about a permanent reason */
  constructor(more = '') {
    super(
      { code: 'sign_in_failed' },
      `Signing in failed: the signature does not match, or the message has expired or was used. Begin again. ${more}`.trimEnd(),
    );
  }
}

/** A signature of a contract wallet, which can't be verified without a node of the chain. */
export class ContractWalletUnknown extends SignInFailed {
  constructor() {
    super('Wallets that are contracts cannot sign in here: no node of the chain is configured (X402_RPC_URL).');
  }
}

export const SignUpClosed = errorOf(
  'sign_up_closed',
  'No account belongs to this wallet, and new ones are not opened here: ask the operator for an invitation.',
);

/** A change of wallets or passkeys without a fresh signature. */
export const ConfirmationRequired = errorOf(
  'confirmation_required',
  'This change needs a fresh signature: confirm it with a wallet or passkey of this account first.',
);

/** An unknown, used or expired invitation. These are not distinguished. */
export const InvitationInvalid = errorOf(
  'invitation_invalid',
  'This invitation is not valid, or was used or has expired: ask for a new one.',
);

export const LastCredential = errorOf(
  'last_credential',
  'This is the only way to sign in to this account: add another wallet or passkey first.',
);

export class AlreadyRegistered extends ApiError {
  constructor(what: 'wallet' | 'passkey') {
    super(
      { code: 'already_registered' },
      `This ${what} belongs to an account already: sign in with it, or use another.`,
    );
  }
}

export class TooMany extends ApiError {
  /** @param what in the plural */
  constructor(what: string, max: number) {
    super({ code: 'too_many' }, `An account may have ${max} ${what}: remove one that is not needed.`);
  }
}

/** An id that does not exist in the account. Other accounts' ids are not distinguished from unknown ones. */
export class NotInAccount extends ApiError {
  constructor(what: string) {
    super({ code: 'not_found' }, `There is no such ${what}: reload the page.`);
  }
}

/** Too many searches or sign-in attempts from one address. */
export class TooManyRequests extends ApiError {
  /** @param waitMs time until the next request is accepted */
  constructor(sentence: string, waitMs: number) {
    const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
    super({ code: 'rate_limited', headers: { 'Retry-After': String(seconds) } }, `${sentence} Retry in ${seconds} s.`);
  }
}
