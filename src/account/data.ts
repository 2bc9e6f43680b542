import type { AccountKeys } from './keys.ts';

/** What an account's pages show and change, beside who is signed in. */
export interface AccountData {
  readonly keys: AccountKeys;
}
