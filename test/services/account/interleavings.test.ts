import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { readConsoleConfig } from '../../../src/config/console.ts';
import { createCredentialStore } from '../../../src/postgres/account/credentials.ts';
import { createInvitationStore } from '../../../src/postgres/account/invitations.ts';
import { createAccountKeys } from '../../../src/postgres/account/keys.ts';
import { createSignInStore } from '../../../src/postgres/account/sign-in.ts';
import { accountDatabase } from '../../../src/postgres/account/transaction.ts';
import {
  confirmedSession,
  countRows,
  newAccount,
  newAddress,
  newChallenge,
  newSession,
} from '../../support/account/stored-accounts.ts';
import { createTestDatabase } from '../../support/engines/database.ts';
import { exploreInterleavings, type InterleavedScenario } from '../../support/engines/interleaving.ts';
import { forFile } from '../../support/for-file.ts';

// Single effects stay single, and an account keeps a way in, in every order of the statements of two requests with at most
// two interruptions.

const database = await forFile(createTestDatabase());

const databaseOf = (pool: pg.Pool) => accountDatabase(pool, 5_000);
const config = readConsoleConfig({});
if (config === null) throw new Error('The console is off.');
const actor = { name: 'test', ip: '127.0.0.1' };

const signIn = (pool: pg.Pool) => createSignInStore(databaseOf(pool), config.sessions);
const credentials = (pool: pg.Pool) => createCredentialStore(databaseOf(pool), config);
const invitations = (pool: pg.Pool) => createInvitationStore(databaseOf(pool), config);

/** Returns a problem unless the number is as expected. */
const unlessCount = (what: string, found: number, expected: number) =>
  found === expected ? null : `${found} ${what} instead of ${expected}`;

const failed = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.find(({ status }) => status === 'rejected');

interface Guarantee<State> {
  readonly name: string;
  setUp(pool: pg.Pool): Promise<State>;
  /** Runs twice at once. */
  action(pool: pg.Pool, state: State, nth: 0 | 1): Promise<unknown>;
  check: InterleavedScenario<State>['check'];
}

const guarantees = [
  guarantee({
    name: 'a signed message opens one session',
    async setUp(pool) {
      const address = newAddress();
      const accountId = await newAccount(pool, [address]);
      return { accountId, address, challenge: await newChallenge(pool, 'sign-in', null) };
    },
    action: (pool, { address, challenge }) => signIn(pool).enter({ kind: 'wallet', address, challenge }, newSession()),
    check: async (pool, { accountId }) =>
      unlessCount('sessions', await countRows(pool, 'account_sessions', accountId), 1),
  }),
  guarantee({
    name: 'a new wallet that signs in twice at once gets one account, and is signed in twice',
    async setUp(pool) {
      const challenges = await both(() => newChallenge(pool, 'sign-in', null));
      return { address: newAddress(), challenges };
    },
    action: (pool, { address, challenges }, nth) =>
      signIn(pool).openAccount({ kind: 'wallet', address, challenge: challenges[nth] }, 'starter', newSession()),
    async check(pool, { address }, outcomes) {
      if (failed(outcomes) !== undefined) return `one of them failed: ${JSON.stringify(outcomes)}`;
      const { rows } = await pool.query<{ accounts: number; sessions: number }>(
        `select (select count(*)::int from account_wallets where address = $1) as accounts,
                (select count(*)::int from account_sessions s join account_wallets w on w.account_id = s.account_id
                 where w.address = $1) as sessions`,
        [address],
      );
      return JSON.stringify(rows[0]) === '{"accounts":1,"sessions":2}' ? null : JSON.stringify(rows[0]);
    },
  }),
  guarantee({
    name: 'of two ways into an account, one is left when both are removed at once',
    async setUp(pool) {
      const accountId = await newAccount(pool, [newAddress()]);
      const challenges = await both(() => newChallenge(pool, 'add', accountId));
      return { accountId, sessionId: await confirmedSession(pool, accountId), challenges };
    },
    action: (pool, { accountId, sessionId, challenges }, nth) => {
      const credential = { kind: 'wallet', address: newAddress(), challenge: challenges[nth] } as const;
      return credentials(pool).add({ accountId, sessionId, actor }, credential);
    },
    check: async (pool, { accountId }) =>
      unlessCount('wallets', await countRows(pool, 'account_wallets', accountId), 2),
  }),
  guarantee({
    name: 'an invitation lets one in',
    async setUp(pool) {
      const accountId = await newAccount(pool);
      const hash = randomBytes(32);
      await pool.query(
        `insert into account_invitations (account_id, hash, created_by, expires_at) values ($1, $2, 'test', now() + interval '1 day')`,
        [accountId, hash],
      );
      const challenges = await both(() => newChallenge(pool, 'invitation', accountId));
      return { accountId, hash, challenges };
    },
    action: (pool, { hash, challenges }, nth) => {
      const credential = { kind: 'wallet', address: newAddress(), challenge: challenges[nth] } as const;
      return invitations(pool).accept(hash, credential, newSession());
    },
    check: async (pool, { accountId }) =>
      unlessCount('wallets', await countRows(pool, 'account_wallets', accountId), 1),
  }),
  guarantee({
    name: 'an account has no more keys than it may',
    setUp: async (pool) => ({ accountId: await newAccount(pool) }),
    action: (pool, { accountId }) =>
      createAccountKeys(databaseOf(pool), 1).create(
        accountId,
        { name: 'one', environment: 'live', expiresAt: null },
        actor,
      ),
    check: async (pool, { accountId }) => unlessCount('keys', await countRows(pool, 'api_keys', accountId), 1),
  }),
];

/** Keeps each guarantee's own state to itself. */
function guarantee<State>({ name, setUp, action, check }: Guarantee<State>) {
  const actions = ([0, 1] as const).map((nth) => (pool: pg.Pool, state: State) => action(pool, state, nth));
  const scenario: InterleavedScenario<State> = { setUp, actions, check };
  return { name, scenario: scenario as unknown as InterleavedScenario<never> };
}

async function both<Value>(create: () => Promise<Value>): Promise<readonly [Value, Value]> {
  return [await create(), await create()];
}

test.each(guarantees)('$name', async ({ scenario }) => {
  const { failure, schedules } = await exploreInterleavings(database.url, scenario);
  expect(failure).toBeNull();
  expect(schedules).toBeGreaterThan(5);
});
