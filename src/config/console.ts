import { z } from 'zod';
import { dayMs, hourMs, minuteMs } from '../lib/durations.ts';
import { networks } from '../payments/protocol/networks.ts';
import { demoWallet, demoWalletVariable } from './demo-wallet.ts';
import { configuredNetwork, paymentVariables } from './payments.ts';
import { type Environment, flag, oneOf, optionalText, parseSettings, textOr, wholeNumber } from './settings.ts';

/** The people who can get an account: existing members only, invited people, or every wallet. */
export const signUpModes = ['closed', 'invited', 'open'] as const;

export const consoleVariables = z.object({
  CONSOLE: flag(true).describe('Serves the pages and the account page.'),
  SIGN_UP: oneOf(signUpModes).meta({
    default: '`invited`',
    description:
      'People who can get an account: `closed`: only members. `invited`: also people with a link from `entity-search accounts invite`. `open`: also every wallet.',
  }),
  SIGN_UP_PLAN: optionalText
    .pipe(
      z
        .string()
        .regex(/^[a-z][a-z0-9_-]{0,62}$/, { error: 'must be the name of a plan; see entity-search plans list' })
        .default('starter'),
    )
    .meta({
      allowed: 'the name of a plan',
      default: '`starter`',
      description: 'Plan of accounts that wallets open for themselves.',
    }),
  VISITOR_SEARCHES_PER_MINUTE: wholeNumber({ min: 0, max: 100_000, default: 20 }).describe(
    'Searches per minute on the pages without signing in, per address and process. With `0`, visitors cannot search.',
  ),
  INDEXABLE: flag(true).describe('Lets search engines index the start page and the pages of entities.'),
  DEMO_WALLET_PRIVATE_KEY: demoWalletVariable,
});

const variables = consoleVariables.extend({
  PUBLIC_URL: paymentVariables.shape.PUBLIC_URL,
  X402_RPC_URL: paymentVariables.shape.X402_RPC_URL,
  NODE_ENV: optionalText,
  HOST: textOr('127.0.0.1'),
  TRUST_PROXY: wholeNumber({ min: 0, max: 10, default: 0 }),
});

/** The pages and the account. All times are in milliseconds. */
export type ConsoleConfig = Readonly<NonNullable<ReturnType<typeof readConsoleConfig>>>;

/** The chain that sign-in messages name where no payments are set up: Base. */
const defaultChainId = networks['eip155:8453'].chainId;

/** Reads the environment. Null where the console is off. Throws `SettingsError`. */
export function readConsoleConfig(env: Environment) {
  const given = parseSettings(variables, env);
  if (!given.CONSOLE) return null;
  const network = Object.values(networks).find(({ name }) => name === configuredNetwork(env));
  return {
    /** The origin under which browsers reach the console; undefined where only loopback is served. */
    origin: given.PUBLIC_URL === undefined ? undefined : new URL(given.PUBLIC_URL).origin,
    signUp: given.SIGN_UP ?? 'invited',
    signUpPlan: given.SIGN_UP_PLAN,
    visitorSearchesPerMinute: given.VISITOR_SEARCHES_PER_MINUTE,
    indexable: given.INDEXABLE,
    chainId: network?.chainId ?? defaultChainId,
    /** Asked about the signatures of contract wallets; undefined where only plain wallets can sign in. */
    rpcUrl: given.X402_RPC_URL,
    rpcTimeoutMs: 2_000,
    /** The page gives this wallet to every visitor. It is set only if all visitors use this machine. */
    demoWallet: demoWallet({ ...given, network }),
    sessions: {
      idleMs: 12 * hourMs,
      absoluteMs: 14 * dayMs,
      seenEveryMs: minuteMs,
      confirmedMs: 5 * minuteMs,
      perAccountMax: 50,
    },
    challenges: { validMs: 10 * minuteMs },
    /** Limits per client address. Further requests are refused with `Retry-After`. */
    attempts: { perMinute: 30, newAccountsPerHour: 5 },
    /** Limits per account. */
    max: { keys: 100, wallets: 20, passkeys: 20 },
  };
}
