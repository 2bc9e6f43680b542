import { isHex } from 'viem/utils';
import { z } from 'zod';
import { dayMs, hourMs, minuteMs } from '../lib/durations.ts';
import { type Network, networks } from '../payments/protocol/networks.ts';
import { configuredNetwork, paymentVariables } from './payments.ts';
import {
  type Environment,
  flag,
  oneOf,
  optionalText,
  parseSettings,
  SettingsError,
  textOr,
  wholeNumber,
} from './settings.ts';

const name = 'DEMO_WALLET_PRIVATE_KEY';

const demoWalletVariable = optionalText
  .pipe(
    z
      .string()
      .refine((text): text is `0x${string}` => isHex(text) && text.length === 66, {
        error: 'must be a private key: 0x and 64 hexadecimal digits',
      })
      .optional(),
  )
  .meta({
    allowed: '`0x…`',
    default: 'none',
    description:
      'Private key of a demo wallet that the sign-in page gives to every visitor, as in `npm run demo`. Refused in production, on a main network, and if other machines can reach the process.',
  });

const loopbackHosts = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i;

/** The people who can get an account: existing members only, invited people, or every wallet. */
const signUpModes = ['closed', 'invited', 'open'] as const;

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

/** The chain that sign-in messages name if no payments are set up: Base. */
const defaultChainId = networks['eip155:8453'].chainId;

/** Reads the environment. Returns null if the console is off. Throws `SettingsError`. */
export function readConsoleConfig(env: Environment) {
  const given = parseSettings(variables, env);
  if (!given.CONSOLE) return null;
  const network = Object.values(networks).find(({ name }) => name === configuredNetwork(env));
  return {
    /** The origin under which browsers reach the console; undefined if only loopback is served. */
    origin: given.PUBLIC_URL === undefined ? undefined : new URL(given.PUBLIC_URL).origin,
    signUp: given.SIGN_UP ?? 'invited',
    signUpPlan: given.SIGN_UP_PLAN,
    visitorSearchesPerMinute: given.VISITOR_SEARCHES_PER_MINUTE,
    indexable: given.INDEXABLE,
    chainId: network?.chainId ?? defaultChainId,
    /** The node that checks signatures of contract wallets; undefined if only plain wallets can sign in. */
    rpcUrl: given.X402_RPC_URL,
    rpcTimeoutMs: 2_000,
    /** The page gives this wallet to every visitor, so it is set only if all visitors use this machine. */
    demoWallet: demoWallet(given, network),
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

/** Returns the demo wallet; null if none is set. Throws `SettingsError` if visitors could come from other machines. */
function demoWallet(given: z.output<typeof variables>, network: Network | undefined) {
  const { DEMO_WALLET_PRIVATE_KEY: privateKey, NODE_ENV, HOST, PUBLIC_URL, TRUST_PROXY } = given;
  if (privateKey === undefined) return null;
  const problems = [
    ...(NODE_ENV === 'production' ? ['every visitor could sign with this key; remove it in production'] : []),
    ...(network?.testnet === true ? [] : ['is for play money only; set X402_NETWORK to a testnet, or remove the key']),
    ...(loopbackHosts.test(HOST) ? [] : [`every visitor of ${HOST} would get it; set HOST to 127.0.0.1`]),
    ...(PUBLIC_URL === undefined || loopbackHosts.test(new URL(PUBLIC_URL).hostname)
      ? []
      : [`every visitor of ${PUBLIC_URL} would get it; remove one of the two`]),
    ...(TRUST_PROXY === 0 ? [] : ['other machines could reach the page through a proxy; set TRUST_PROXY to 0']),
  ];
  if (problems.length > 0) throw new SettingsError(problems.map((problem) => `${name}: ${problem}`));
  return { privateKey };
}
