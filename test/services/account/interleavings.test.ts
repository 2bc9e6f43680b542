import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { Purpose } from '../../../src/account/answers.ts';
import type { GivenChallenge } from '../../../src/account/credentials.ts';
import type { NewSession } from '../../../src/account/ports.ts';
import { hashToken, newToken } from '../../../src/account/tokens.ts';
import { readConsoleConfig } from '../../../src/config/console.ts';
import { createChallengeStore } from '../../../src/postgres/account/challenges.ts';
import { createCredentialStore } from '../../../src/postgres/account/credentials.ts';
import { createInvitationStore } from '../../../src/postgres/account/invitations.ts';
import { createAccountKeys } from '../../../src/postgres/account/keys.ts';
import { createSignInStore } from '../../../src/postgres/account/sign-in.ts';
import { accountDatabase } from '../../../src/postgres/account/transaction.ts';
import { readValue } from '../../../src/postgres/statements.ts';
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

const newAddress = (): `0x${string}` => `0x${randomBytes(20).toString('hex')}`;
const newSession = (): NewSession => ({
  hash: hashToken(newToken()),
  replaces: null,
  ip: '127.0.0.1',
  userAgent: 'test',
});

async function newChallenge(pool: pg.Pool, purpose: Purpose, accountId: number | null): Promise<GivenChallenge> {
  const content = newToken();
  const challenge = {
    hash: hashToken(content),
    browser: randomBytes(32),
    purpose,
    method: 'wallet',
    accountId,
  } as const;
  await createChallengeStore(databaseOf(pool)).add(challenge, content, 60_000);
  return challenge;
}

async function newAccount(pool: pg.Pool, wallets: readonly string[] = []): Promise<number> {
  const id = Number(
    await readValue<number>(pool, `insert into accounts (name, plan) values ($1, 'starter') returning id`, [
      newToken(),
    ]),
  );
  await pool.query('insert into account_wallets (account_id, address) select $1, unnest($2::text[])', [id, wallets]);
  return id;
}

/** A session that may make one change. */
async function confirmedSession(pool: pg.Pool, accountId: number): Promise<number> {
  return Number(
    await readValue<number>(
      pool,
      `insert into account_sessions (account_id, hash, method, ip, user_agent, expires_at, confirmed_until)
     values ($1, $2, 'wallet', '', '', now() + interval '1 day', now() + interval '5 minutes') returning id`,
      [accountId, randomBytes(32)],
    ),
  );
}

const countRows = (pool: pg.Pool, table: string, accountId: number) =>
  readValue<number>(pool, `select count(*)::int as count from ${table} where account_id = $1`, [accountId]);

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
    name: 'a new wallet with two concurrent sign-ins gets one account and two sessions',
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
    name: 'of two credentials of an account, one stays when both are removed concurrently',
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
    name: 'an invitation is accepted once',
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
    name: 'an account never exceeds its number of keys',
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
