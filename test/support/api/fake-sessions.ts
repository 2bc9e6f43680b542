import { type Session, Unavailable } from '../../../src/account/ports.ts';
import { hashToken, newToken } from '../../../src/account/tokens.ts';
import type { AccountData } from '../../../src/connect-account.ts';

/** The session of a member on the plan "starter". */
export const memberSession: Session = {
  sessionId: 3,
  method: 'wallet',
  createdAtMs: 0,
  expiresAtMs: Number.MAX_SAFE_INTEGER,
  confirmedUntilMs: null,
  account: {
    id: 42,
    name: 'Tests',
    role: 'member',
    active: true,
    plan: { name: 'starter', active: true, callsPerMinute: 60, callsPerMonth: 50_000 },
  },
};

/** A store with one session, and its browser's cookie over http. */
export function oneSession(session: Session): {
  readonly sessions: AccountData['sessions'];
  readonly cookie: string;
} {
  const token = newToken();
  const hash = hashToken(token);
  return {
    sessions: sessionsOf(async (asked) => (asked.equals(hash) ? session : null)),
    cookie: `entity_search_session=${token}`,
  };
}

const notThere = async () => {
  throw new Unavailable('postgres', new Error('no database in this test'));
};

export function sessionsOf(find: AccountData['sessions']['find']): AccountData['sessions'] {
  return { find, list: notThere, end: notThere, endAll: notThere };
}

/** Postgres is down. */
export const noAccount: AccountData = {
  sessions: sessionsOf(notThere),
  challenges: { add: notThere, isOpen: notThere, discard: notThere },
  signIn: { knowsWallet: notThere, enter: notThere, openAccount: notThere },
  invitations: { find: notThere, accept: notThere },
  credentials: {
    list: notThere,
    findPasskey: notThere,
    passkeysOf: notThere,
    confirm: notThere,
    add: notThere,
    remove: notThere,
  },
  events: { list: notThere },
  contractWallets: null,
  keys: { list: notThere, create: notThere, rename: notThere, rotate: notThere, revoke: notThere },
  callCounts: { read: notThere },
  payments: { list: notThere, find: notThere },
  operator: {
    accounts: notThere,
    account: notThere,
    index: notThere,
    ledger: notThere,
    suspend: notThere,
    changePlan: notThere,
    revokeKey: notThere,
  },
};
