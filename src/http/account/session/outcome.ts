import type { Session, SignInOutcome } from '../../../account/ports.ts';
import { AccountSuspended, SignInFailed, SignUpClosed } from '../../errors/account-errors.ts';

/** The session that has begun. Throws the error for why none has. */
export function sessionFrom(outcome: SignInOutcome): Session {
  if (outcome.ok) return outcome.session;
  switch (outcome.reason) {
    case 'used':
      throw new SignInFailed();
    case 'unknown':
      throw new SignUpClosed();
    case 'suspended':
      throw new AccountSuspended();
  }
}
