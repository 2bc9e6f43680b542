import type { AccountRoute } from './account-endpoint.ts';
import { passkeyChallenge, walletChallenge } from './endpoints/challenges.ts';
import { addedPasskey, addedWallet, confirmSession, removedPasskey, removedWallet } from './endpoints/credentials.ts';
import { acceptInvitation, readInvitation } from './endpoints/invitations.ts';
import { createdKey, keyRotation, keys, renamedKey, revokedKey } from './endpoints/keys.ts';
import {
  accountPlan,
  accountSuspension,
  operatorAccount,
  operatorAccounts,
  operatorIndex,
  operatorPayments,
  operatorRevokedKey,
} from './endpoints/operator.ts';
import { paymentReceipt, payments } from './endpoints/payments.ts';
import { accountSearch, accountSearchCalendar, accountSearchCsv, accountSuggestions } from './endpoints/search.ts';
import { events, revokedSession, security } from './endpoints/security.ts';
import { session, signOut, signOutEverywhere } from './endpoints/session.ts';
import { signInWithPasskey, signInWithWallet } from './endpoints/sign-in.ts';
import { accountUsage } from './endpoints/usage.ts';

/**
 * The endpoints behind the browser's pages: the account, and search without a key. They exist only if the console is
 * on.
 */
export const accountEndpoints: readonly AccountRoute[] = [
  session,
  signOut,
  signOutEverywhere,
  walletChallenge,
  passkeyChallenge,
  signInWithWallet,
  signInWithPasskey,
  readInvitation,
  acceptInvitation,
  confirmSession,
  security,
  events,
  addedWallet,
  removedWallet,
  addedPasskey,
  removedPasskey,
  revokedSession,
  keys,
  createdKey,
  keyRotation,
  renamedKey,
  revokedKey,
  accountUsage,
  payments,
  paymentReceipt,
  operatorAccounts,
  operatorAccount,
  accountSuspension,
  accountPlan,
  operatorRevokedKey,
  operatorIndex,
  operatorPayments,
  accountSearch,
  accountSearchCsv,
  accountSearchCalendar,
  accountSuggestions,
];
