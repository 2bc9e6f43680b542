import type { CallCount } from '../access/calls.ts';
import type { AccountKeys } from './keys.ts';
import type { OperatorDesk } from './operator.ts';
import type { AccountPayments } from './payments.ts';
import type { AccountPorts } from './ports.ts';

/** All stores and services behind the account pages. */
export interface AccountData extends AccountPorts {
  readonly keys: AccountKeys;
  readonly callCounts: {
    /** Returns the oldest day first. */
    read(accountId: number, days: number): Promise<readonly CallCount[]>;
  };
  readonly payments: AccountPayments;
  readonly operator: OperatorDesk;
}
