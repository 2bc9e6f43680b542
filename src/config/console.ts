import { z } from 'zod';
import { dayMs, hourMs, minuteMs } from '../lib/durations.ts';
import { networks } from '../payments/protocol/networks.ts';
import { demoWallet, demoWalletVariable } from './demo-wallet.ts';
import { configuredNetwork, paymentVariables } from './payments.ts';
import { type Environment, flag, oneOf, optionalText, parseSettings, textOr, wholeNumber } from './settings.ts';

/** Who may get an account through the page: nobody, whoever was invited, or every wallet. */
export const signUpModes = ['closed', 'invited', 'open'] as const;

export const consoleVariables = z.object({
  CONSOLE: flag(true).describe('Whether the pages and the account are offered.'),
  SIGN_UP: oneOf(signUpModes).meta({
    default: '`invited`',
    description:
      'Who may get an account through the page: `closed` nobody, `invited` whoever has a link from `entity-search accounts invite`, `open` every wallet, too.',
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
      description: 'The plan of accounts that wallets open for themselves.',
    }),
  VISITOR_SEARCHES_PER_MINUTE: wholeNumber({ min: 0, max: 100_000, default: 20 }).describe(
    'Searches on the pages without signing in, per address and process. `0`: visitors cannot search.',
  ),
  INDEXABLE: flag(true).describe('Whether search engines may index the start page and the pages of entities.'),
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
    /** Handed to every visitor; only where nobody but this machine's user is one. */
    demoWallet: demoWallet({ ...given, network }),
    sessions: {
      idleMs: 12 * hourMs,
      absoluteMs: 14 * dayMs,
      seenEveryMs: minuteMs,
      confirmedMs: 5 * minuteMs,
      perAccountMax: 50,
    },
    challenges: { validMs: 10 * minuteMs },
    /** Of one address of a client; beyond, requests are refused with the time to wait. */
    attempts: { perMinute: 30, newAccountsPerHour: 5 },
    /** What one account may have. */
    max: { keys: 100, wallets: 20, passkeys: 20 },
    bodyMaxBytes: 65_536,
  };
}
