import type { CallCount } from '../access/calls.ts';
import type { AccountKeys } from './keys.ts';
import type { OperatorDesk } from './operator.ts';
import type { AccountPayments } from './payments.ts';
import type { Stored } from './ports.ts';

/** The data that an account's pages show and change, in addition to the session. */
export interface AccountData {
  readonly keys: AccountKeys;
  readonly callCounts: CallCounts;
  readonly payments: AccountPayments;
  readonly operator: OperatorDesk;
}

/** The calls of accounts. */
export interface CallCounts {
  /** The oldest day first. Never rejects. */
  read(accountId: number, days: number): Promise<Stored<readonly CallCount[]>>;
}
