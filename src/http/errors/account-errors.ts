import { ApiError } from './errors.ts';

// What the account page's API refuses. Codes and statuses are in codes.ts.

export class NotSignedIn extends ApiError {
  constructor(sentence = 'Nobody is signed in here, or the session has ended: sign in again.') {
    super({ code: 'not_signed_in' }, sentence);
  }
}

/** A request for a change that no page of ours has sent. */
export class ForeignOrigin extends ApiError {
  /** @param origin of our pages; null where there is none, because no address is configured */
  constructor(origin: string | null) {
    super(
      { code: 'foreign_origin' },
      origin === null
        ? 'This address is not the one of the account page: its operator sets PUBLIC_URL to the address that browsers use.'
        : `Changes are taken from pages of ${origin} only: send "Origin: ${origin}".`,
    );
  }
}

/** What the browser has opened is an address at which this way to sign in does not work. */
export class SignInUnavailable extends ApiError {
  /** @param reason a sentence that says what to do */
  constructor(reason: string) {
    super({ code: 'foreign_origin' }, reason);
  }
}

export class OperatorOnly extends ApiError {
  constructor() {
    super({ code: 'operator_only' }, 'Only operators may do this: ask one, or use the command line.');
  }
}

export class AccountSuspended extends ApiError {
  constructor() {
    super({ code: 'account_suspended' }, 'This account is suspended: ask the operator of this service.');
  }
}

/** The same as `PlanInactive`, for people, who send no key. */
export class AccountPlanInactive extends ApiError {
  constructor() {
    super({ code: 'plan_inactive' }, "This account's plan is not active: ask the operator of this service.");
  }
}

/** Wrong signature, used or expired challenge, another browser, another address: not told apart. */
export class SignInFailed extends ApiError {
  /** @param more a sentence about what no try would change */
  constructor(more = '') {
    super(
      { code: 'sign_in_failed' },
      `Signing in failed: the signature does not match, or the message has expired or was used. Begin again. ${more}`.trimEnd(),
    );
  }
}

/** No key has made the signature, and nobody can be asked whether a contract has. */
export class ContractWalletUnknown extends SignInFailed {
  constructor() {
    super('Wallets that are contracts cannot sign in here: no node of the chain is configured (X402_RPC_URL).');
  }
}

export class SignUpClosed extends ApiError {
  constructor() {
    super(
      { code: 'sign_up_closed' },
      'No account belongs to this wallet, and new ones are not opened here: ask the operator for an invitation.',
    );
  }
}

/** A change of wallets or passkeys without a fresh signature. */
export class ConfirmationRequired extends ApiError {
  constructor() {
    super(
      { code: 'confirmation_required' },
      'This change needs a fresh signature: confirm it with a wallet or passkey of this account first.',
    );
  }
}

/** Unknown, used and expired ones are not told apart. */
export class InvitationInvalid extends ApiError {
  constructor() {
    super(
      { code: 'invitation_invalid' },
      'This invitation is not valid, or was used or has expired: ask for a new one.',
    );
  }
}

export class LastCredential extends ApiError {
  constructor() {
    super(
      { code: 'last_credential' },
      'This is the only way to sign in to this account: add another wallet or passkey first.',
    );
  }
}

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

/** There is nothing of this id in the account; that of others is not told apart from what does not exist. */
export class NotInAccount extends ApiError {
  /** @param where for operators, who see all accounts: "here" */
  constructor(what: string, where = 'in this account') {
    super({ code: 'not_found' }, `There is no such ${what} ${where}: reload the page.`);
  }
}

/** More than one address may ask for: searches of visitors, tries to sign in. */
export class TooManyRequests extends ApiError {
  /** @param waitMs until the next one is taken */
  constructor(sentence: string, waitMs: number) {
    const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
    super({ code: 'rate_limited', headers: { 'Retry-After': String(seconds) } }, `${sentence} Retry in ${seconds} s.`);
  }
}
