import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { generateApiKey } from '../../../src/access/api-key.ts';
import type { GivenChallenge } from '../../../src/account/credentials.ts';
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
// two interruptions. Each guarantee has mutants, the same code with one lock or one condition less, that must be found.

const database = await forFile(createTestDatabase());

const databaseOf = (pool: pg.Pool) => accountDatabase(pool, 5_000);
const sessions = { idleMs: 3_600_000, absoluteMs: 7_200_000, perAccountMax: 50 };
const max = { wallets: 20, passkeys: 20 };
const actor = { name: 'test', ip: '127.0.0.1' };

const signIn = (pool: pg.Pool) => createSignInStore(databaseOf(pool), sessions);
const credentials = (pool: pg.Pool) => createCredentialStore(databaseOf(pool), { max, confirmedMs: 300_000 });
const invitations = (pool: pg.Pool) => createInvitationStore(databaseOf(pool), { sessions, max });

/** Returns a problem unless the number is as expected. */
const unlessCount = (what: string, found: number, expected: number) =>
  found === expected ? null : `${found} ${what} instead of ${expected}`;

const failed = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.find(({ status }) => status === 'rejected');

interface Guarantee<State> {
  readonly name: string;
  readonly scenario: InterleavedScenario<State>;
  /** By what they leave out. */
  readonly mutants: Readonly<Record<string, (statement: string) => string>>;
}

const withoutRowLock = (statement: string) => statement.replace('for no key update', '');

const guarantees: readonly Guarantee<never>[] = [
  guarantee({
    name: 'a signed message opens one session',
    mutants: {
      'the challenge is looked at and not taken': (statement) =>
        statement
          .replace(
            /^\s*delete from account_challenges where hash = \$1/,
            'select hash from account_challenges where hash = $1',
          )
          .replace(/(select hash from account_challenges where hash = \$1[\s\S]*) returning hash$/, '$1'),
    },
    scenario: {
      async setUp(pool) {
        const address = newAddress();
        const accountId = await newAccount(pool, [address]);
        return { accountId, address, challenge: await newChallenge(pool, 'sign-in', null) };
      },
      actions: twice(
        (
          pool: pg.Pool,
          { address, challenge }: { readonly address: `0x${string}`; readonly challenge: GivenChallenge },
        ) => signIn(pool).enter({ kind: 'wallet', address, challenge }, newSession()),
      ),
      check: async (pool, { accountId }) =>
        unlessCount('sessions', await countRows(pool, 'account_sessions', accountId), 1),
    },
  }),
  guarantee({
    name: 'a new wallet that signs in twice at once gets one account, and is signed in twice',
    mutants: {
      'nobody waits for the other': (statement) =>
        statement.includes('pg_advisory_xact_lock') ? 'select $1::text' : statement,
    },
    scenario: {
      async setUp(pool) {
        const challenges = [
          await newChallenge(pool, 'sign-in', null),
          await newChallenge(pool, 'sign-in', null),
        ] as const;
        return { address: newAddress(), challenges };
      },
      actions: [0, 1].map(
        (nth) =>
          (
            pool: pg.Pool,
            {
              address,
              challenges,
            }: { readonly address: `0x${string}`; readonly challenges: readonly [GivenChallenge, GivenChallenge] },
          ) =>
            signIn(pool).openAccount(
              { kind: 'wallet', address, challenge: challenges[nth === 0 ? 0 : 1] },
              'starter',
              newSession(),
            ),
      ),
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
    },
  }),
  guarantee({
    name: 'of two ways into an account, one is left when both are removed at once',
    mutants: { 'the account is not locked': withoutRowLock },
    scenario: {
      async setUp(pool) {
        const accountId = await newAccount(pool, [newAddress(), newAddress()]);
        const { rows } = await pool.query<{ id: number }>('select id from account_wallets where account_id = $1', [
          accountId,
        ]);
        const both = [await confirmedSession(pool, accountId), await confirmedSession(pool, accountId)];
        return { accountId, wallets: rows.map(({ id }) => Number(id)), sessionIds: both };
      },
      actions: [0, 1].map(
        (nth) =>
          (
            pool: pg.Pool,
            state: {
              readonly accountId: number;
              readonly wallets: readonly number[];
              readonly sessionIds: readonly number[];
            },
          ) =>
            credentials(pool).remove(
              { accountId: state.accountId, sessionId: state.sessionIds[nth] ?? 0, actor },
              'wallet',
              state.wallets[nth] ?? 0,
            ),
      ),
      check: async (pool, { accountId }) =>
        unlessCount('wallets', await countRows(pool, 'account_wallets', accountId), 1),
    },
  }),
  guarantee({
    name: 'one confirmation is good for one change',
    mutants: {
      'the confirmation is looked at and not taken': (statement) =>
        statement.includes('set confirmed_until = null')
          ? statement
              .replace(/update account_sessions set confirmed_until = null/, 'select id from account_sessions')
              .replace('returning id', '')
          : statement,
    },
    scenario: {
      async setUp(pool) {
        const accountId = await newAccount(pool, [newAddress()]);
        const challenges = [await newChallenge(pool, 'add', accountId), await newChallenge(pool, 'add', accountId)];
        return { accountId, sessionId: await confirmedSession(pool, accountId), challenges };
      },
      actions: [0, 1].map(
        (nth) =>
          (
            pool: pg.Pool,
            state: {
              readonly accountId: number;
              readonly sessionId: number;
              readonly challenges: readonly GivenChallenge[];
            },
          ) => {
            const challenge = state.challenges[nth];
            if (challenge === undefined) throw new Error('each has a challenge');
            const { accountId, sessionId } = state;
            return credentials(pool).add(
              { accountId, sessionId, actor },
              { kind: 'wallet', address: newAddress(), challenge },
            );
          },
      ),
      check: async (pool, { accountId }) =>
        unlessCount('wallets', await countRows(pool, 'account_wallets', accountId), 2),
    },
  }),
  guarantee({
    name: 'an invitation lets one in',
    mutants: {
      'the invitation is looked at and not taken': (statement) =>
        statement.includes('update account_invitations')
          ? 'select id, account_id, created_by from account_invitations where hash = $1 and used_at is null and expires_at > now()'
          : statement,
    },
    scenario: {
      async setUp(pool) {
        const accountId = await newAccount(pool);
        const hash = randomBytes(32);
        await pool.query(
          `insert into account_invitations (account_id, hash, created_by, expires_at) values ($1, $2, 'test', now() + interval '1 day')`,
          [accountId, hash],
        );
        const challenges = [
          await newChallenge(pool, 'invitation', accountId),
          await newChallenge(pool, 'invitation', accountId),
        ];
        return { accountId, hash, challenges };
      },
      actions: [0, 1].map(
        (nth) => (pool: pg.Pool, state: { readonly hash: Buffer; readonly challenges: readonly GivenChallenge[] }) => {
          const challenge = state.challenges[nth];
          if (challenge === undefined) throw new Error('each has a challenge');
          return invitations(pool).accept(
            state.hash,
            { kind: 'wallet', address: newAddress(), challenge },
            newSession(),
          );
        },
      ),
      check: async (pool, { accountId }) =>
        unlessCount('wallets', await countRows(pool, 'account_wallets', accountId), 1),
    },
  }),
  guarantee({
    name: 'an account has no more keys than it may',
    mutants: { 'the account is not locked': withoutRowLock },
    scenario: {
      setUp: async (pool) => ({ accountId: await newAccount(pool) }),
      actions: twice((pool: pg.Pool, { accountId }: { readonly accountId: number }) =>
        createAccountKeys(databaseOf(pool), 1).create(
          accountId,
          { name: 'one', key: generateApiKey('live', randomBytes), expiresAt: null },
          actor,
        ),
      ),
      check: async (pool, { accountId }) => unlessCount('keys', await countRows(pool, 'api_keys', accountId), 1),
    },
  }),
];

/** Keeps each guarantee's own state to itself. */
function guarantee<State>(one: Guarantee<State>): Guarantee<never> {
  return one as unknown as Guarantee<never>;
}

function twice<State>(action: (pool: pg.Pool, state: State) => Promise<unknown>) {
  return [action, action];
}

describe.each(guarantees)('$name', ({ scenario, mutants }) => {
  test('in every order of the statements of two requests', async () => {
    const { failure, schedules } = await exploreInterleavings(database.url, scenario);
    expect(failure).toBeNull();
    expect(schedules).toBeGreaterThan(5);
  });

  test.each(Object.entries(mutants))('found where %s', async (_, rewrite) => {
    const { failure } = await exploreInterleavings(database.url, { ...scenario, rewrite });
    expect(failure).not.toBeNull();
  });
});
