import { getAddress, isAddress } from 'viem/utils';
import { z } from 'zod';
import { dayMs, minuteMs, secondMs } from '../lib/durations.ts';
import { type Asset, assetsOn, oneCent, usd } from '../payments/protocol/assets.ts';
import { type NetworkName, networkNames, networks, testnetFacilitator } from '../payments/protocol/networks.ts';
import type { Terms } from '../payments/protocol/terms.ts';
import {
  type Environment,
  oneOf,
  optionalText,
  parseSettings,
  SettingsError,
  webAddress,
  wholeNumber,
} from './settings.ts';

const maxTimeoutSeconds = 300;
/** Payments of one payer in progress at the same time. */
const payerMax = 8;
const defaultNetwork: NetworkName = 'eip155:84532';
const defaultAsset = 'USDC';
const amountMaxDollars = 1_000n;
/** Blocks per request for logs. If a node refuses the range, half of it is requested. */
const logRangeBlocks = 1_000;
/**
 * Time for which a paid answer that was not delivered can be claimed. If a payment's row was lost, its answer is
 * recovered from the chain until this long after the authorization expired, which is up to an hour after the
 * settlement. Rows are kept for longer than that.
 */
const claimableMs = 30 * dayMs;

const headersHelp = 'must be a JSON object of header names and values, such as {"Authorization":"Bearer …"}';
const headers = optionalText.transform((text, context): Readonly<Record<string, string>> => {
  try {
    return z.record(z.string().regex(/^[\w-]+$/), z.string()).parse(JSON.parse(text ?? '{}'));
  } catch {
    context.addIssue({ code: 'custom', message: headersHelp });
    return z.NEVER;
  }
});

export const paymentVariables = z.object({
  X402_PAY_TO: optionalText.meta({
    allowed: '`0x…`',
    default: 'none',
    description: 'Address that receives payments. Setting it turns on the paid search.',
  }),
  X402_NETWORK: oneOf(networkNames).meta({
    default: `\`${defaultNetwork}\`; required in production`,
    description: 'Network of the payments.',
  }),
  PUBLIC_URL: webAddress('https://api.example.com').meta({
    default: 'none; required in production if searches are sold',
    description:
      "Public address of the service, as in a 402 and `/openapi.json`. People can sign in only there. Without it, the request's `Host` is used if it is `localhost`, `127.0.0.0/8` or `[::1]`, and otherwise the address of the connection.",
  }),
  X402_ASSET: optionalText.pipe(z.string().default(defaultAsset)).meta({
    allowed: 'the symbol of a token on the network',
    default: `\`${defaultAsset}\``,
    description: 'Token of the payments.',
  }),
  X402_AMOUNT: optionalText
    .pipe(
      z
        .string()
        .regex(/^\d{1,40}$/, { error: 'must be a whole number of base units' })
        .transform(BigInt)
        .optional(),
    )
    .meta({
      allowed: '`1` – 1000 USD',
      default: 'one cent of the token',
      description: 'Price in base units of the token; 10000 is one cent of USDC.',
    }),
  X402_FACILITATOR_URL: webAddress('https://facilitator.example.com').meta({
    default: 'on a testnet a public one; required on a main network',
    description: 'Address of the facilitator, which verifies and settles payments.',
  }),
  X402_FACILITATOR_HEADERS: headers.meta({
    allowed: 'a JSON object',
    default: 'none',
    description: 'Headers sent to the facilitator, such as credentials.',
  }),
  X402_RPC_URL: webAddress('https://sepolia.base.org').meta({
    default: 'required',
    description: 'Address of a node of the chain, which shows how interrupted payments ended.',
  }),
  X402_KEEP_DAYS: wholeNumber({ min: 31, max: 36_500, default: 3_650 }).describe(
    'Number of days for which settled payments are kept.',
  ),
});

const variables = paymentVariables.extend({ NODE_ENV: optionalText });

/** The paid search's settings. All times are in milliseconds. */
export type PaidConfig = Readonly<NonNullable<ReturnType<typeof readPaidConfig>>>;

/**
 * Reads the environment. Returns null if `X402_PAY_TO` is not set: then nothing is sold. Throws `SettingsError` with
 * every problem.
 */
export function readPaidConfig(env: Environment) {
  const given = parseSettings(variables, env);
  if (given.X402_PAY_TO === undefined) return null;
  const network = networks[given.X402_NETWORK ?? defaultNetwork];
  const asset = assetsOn(network.name).find(({ symbol }) => symbol === given.X402_ASSET);
  const facilitatorUrl = given.X402_FACILITATOR_URL ?? (network.testnet ? testnetFacilitator : undefined);
  const problems = problemsOf(given, network.name, asset, facilitatorUrl);
  const rpcUrl = given.X402_RPC_URL;
  if (problems.length > 0 || asset === undefined || rpcUrl === undefined || facilitatorUrl === undefined) {
    throw new SettingsError(problems);
  }
  const terms: Terms = {
    asset,
    payTo: getAddress(given.X402_PAY_TO),
    amount: given.X402_AMOUNT ?? oneCent(asset),
    maxTimeoutSeconds,
  };
  return {
    terms,
    facilitator: {
      url: facilitatorUrl,
      headers: given.X402_FACILITATOR_HEADERS,
      verifyTimeoutMs: 5 * secondMs,
      settleTimeoutMs: 30 * secondMs,
    },
    chain: { url: rpcUrl, timeoutMs: 2 * secondMs, logRangeBlocks },
    rows: {
      openMax: payerMax,
      /** Time after delivery in which the same payment returns the same answer. */
      replayMs: 15 * minuteMs,
      claimableMs,
      /**
       * Time after delivery in which a repeated search is not charged again. It is longer than a client's retries take.
       */
      repeatMs: 3 * minuteMs,
    },
    limits: {
      validity: { minLeftSeconds: 15, maxLeftSeconds: 3_600 },
      /** A payment whose process has died can be taken over after this time. */
      leaseMs: 10 * secondMs,
      reconcileMs: 5 * secondMs,
      /** Time for which a second request with the same payment waits for the first. */
      followMs: 20 * secondMs,
      openMax: payerMax,
      recoverMs: claimableMs,
    },
    audit: { everyMs: 30 * minuteMs, rangesMax: 500 },
    observer: { everyMs: 15 * secondMs, keepMs: given.X402_KEEP_DAYS * dayMs },
    /** Payments in progress in this process; more are refused before they cost anything. Settling takes seconds. */
    concurrentMax: 100,
    publicUrl: given.PUBLIC_URL?.replace(/\/+$/, ''),
    /** Logged at start. */
    warning:
      given.NODE_ENV === 'production' && network.testnet
        ? `The paid search takes test money in production: ${network.name} is a testnet.`
        : undefined,
  };
}

/** Returns PUBLIC_URL without a slash at its end, or undefined if it is not set. */
export function readPublicUrl(env: Environment): string | undefined {
  const given = parseSettings(paymentVariables.pick({ PUBLIC_URL: true }), env);
  return given.PUBLIC_URL?.replace(/\/+$/, '');
}

/** Returns the network of the configured node, or null without settings of payments. Checks nothing. */
export function configuredNetwork(env: Environment): string | null {
  return env.X402_NETWORK || (env.X402_PAY_TO ? defaultNetwork : null);
}

function problemsOf(
  given: z.output<typeof variables>,
  network: NetworkName,
  asset: Asset | undefined,
  facilitatorUrl: string | undefined,
): readonly string[] {
  const problems: string[] = [];
  if (asset === undefined) {
    const symbols = assetsOn(network).map(({ symbol }) => symbol);
    problems.push(`X402_ASSET: must be a token on ${network}: ${symbols.join(', ')}`);
  } else if (given.X402_AMOUNT !== undefined) {
    const max = amountMaxDollars * 100n * oneCent(asset);
    if (given.X402_AMOUNT < 1n || given.X402_AMOUNT > max) {
      problems.push(`X402_AMOUNT: must be from 1 to ${max} base units, which are ${usd(max, asset)} USD`);
    }
  }
  const payTo = payToProblem(given.X402_PAY_TO ?? '', assetsOn(network));
  if (payTo !== null) problems.push(`X402_PAY_TO: ${payTo}`);
  if (given.X402_RPC_URL === undefined) {
    problems.push(
      `X402_RPC_URL: is not set; give the address of a ${network} node, which shows how interrupted payments ended`,
    );
  }
  if (facilitatorUrl === undefined) {
    problems.push(`X402_FACILITATOR_URL: is not set; give the address of a facilitator that settles on ${network}`);
  } else if (!networks[network].testnet && isTestnetFacilitator(facilitatorUrl)) {
    problems.push(
      `X402_FACILITATOR_URL: ${facilitatorUrl} settles on testnets only; give one that settles on ${network}`,
    );
  }
  if (given.NODE_ENV === 'production' && given.X402_NETWORK === undefined) {
    problems.push(`X402_NETWORK: must be named in production: one of ${networkNames.join(', ')}`);
  }
  if (given.NODE_ENV === 'production' && given.PUBLIC_URL === undefined) {
    problems.push('PUBLIC_URL: is not set; give the address under which payers reach this service');
  }
  return problems;
}

function isTestnetFacilitator(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'x402.org' || hostname.endsWith('.x402.org');
}

function payToProblem(payTo: string, assets: readonly Asset[]): string | null {
  if (!/^0x[0-9a-fA-F]{40}$/.test(payTo)) return 'must be an address: 0x and 40 hexadecimal digits';
  const hasChecksum = payTo !== payTo.toLowerCase();
  if (hasChecksum && !isAddress(payTo)) {
    return 'has a wrong checksum, so a digit is probably mistyped; copy the address again';
  }
  if (/^0x0{40}$/.test(payTo)) return 'is the zero address: money sent there is lost';
  if (assets.some(({ address }) => address.toLowerCase() === payTo.toLowerCase())) {
    return 'is the token itself: money sent there is lost';
  }
  return null;
}
