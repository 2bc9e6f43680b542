import { getAddress, isAddress } from 'viem';
import { z } from 'zod';
import {
  type Hex,
  type NetworkName,
  networkNames,
  networks,
  testnetFacilitator,
} from '../payments/protocol/networks.ts';
import type { Terms } from '../payments/protocol/terms.ts';
import { durationMs, type Environment, optionalText, parseSettings, SettingsError, wholeNumber } from './settings.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** What the paid search is sold for: spec section 8. */
const defaultAmount = 10_000;
const maxTimeoutSeconds = 300;
const defaultNetwork: NetworkName = 'eip155:84532';

const httpUrl = (example: string) =>
  optionalText.pipe(z.url({ protocol: /^https?$/, error: `must be an address such as ${example}` }).optional());

const headersHelp = 'must be a JSON object of header names and values, such as {"Authorization":"Bearer …"}';
const headers = optionalText.transform((text, context): Readonly<Record<string, string>> => {
  try {
    return z.record(z.string().regex(/^[\w-]+$/), z.string()).parse(JSON.parse(text ?? '{}'));
  } catch {
    context.addIssue({ code: 'custom', message: headersHelp });
    return z.NEVER;
  }
});

const variables = z.object({
  NODE_ENV: optionalText,
  X402_PAY_TO: optionalText,
  X402_NETWORK: optionalText.pipe(
    z.enum(networkNames, { error: `must be one of ${networkNames.join(', ')}` }).optional(),
  ),
  /** In token base units: 10000 is one cent. */
  X402_AMOUNT: wholeNumber({ min: 1, max: 1_000_000_000, default: defaultAmount }),
  X402_FACILITATOR_URL: httpUrl('https://facilitator.example.com'),
  X402_FACILITATOR_HEADERS: headers,
  X402_RPC_URL: httpUrl('https://sepolia.base.org'),
  PUBLIC_URL: httpUrl('https://api.example.com'),
  X402_BAZAAR: optionalText.pipe(z.enum(['true', 'false'], { error: 'must be true or false' }).default('true')),
  X402_CONCURRENT_MAX: wholeNumber({ min: 1, max: 10_000, default: 100 }),
  X402_PAYER_MAX: wholeNumber({ min: 1, max: 1_000, default: 8 }),
  X402_REPLAY_MS: durationMs({ min: 0, max: 30 * day, default: 15 * minute }),
  X402_REPEAT_MS: durationMs({ min: 0, max: hour, default: 3 * minute }),
  X402_CLAIMABLE_MS: durationMs({ min: minute, max: 365 * day, default: 30 * day }),
  X402_KEEP_DAYS: wholeNumber({ min: 1, max: 36_500, default: 3_650 }),
  X402_VERIFY_TIMEOUT_MS: durationMs({ min: 50, max: minute, default: 5 * second }),
  X402_SETTLE_TIMEOUT_MS: durationMs({ min: 50, max: 2 * minute, default: 30 * second }),
  X402_RECONCILE_TIMEOUT_MS: durationMs({ min: 50, max: minute, default: 5 * second }),
  X402_RPC_TIMEOUT_MS: durationMs({ min: 50, max: 30 * second, default: 2 * second }),
  X402_RPC_LOG_RANGE: wholeNumber({ min: 10, max: 1_000_000, default: 1_000 }),
  X402_FOLLOW_TIMEOUT_MS: durationMs({ min: 50, max: 2 * minute, default: 20 * second }),
  X402_LEASE_MS: durationMs({ min: 500, max: 5 * minute, default: 10 * second }),
  X402_OBSERVE_MS: durationMs({ min: 100, max: hour, default: 15 * second }),
  X402_AUDIT_MS: durationMs({ min: 100, max: 30 * minute, default: 10 * minute }),
});

/** The paid search's settings. All times are in milliseconds. */
export type PaidConfig = NonNullable<ReturnType<typeof readPaidConfig>>;

/**
 * Reads the environment. Null when `X402_PAY_TO` is not set: then nothing is sold.
 * Throws `SettingsError` with all that is missing, wrong or does not go together.
 */
export function readPaidConfig(env: Environment) {
  const given = parseSettings(variables, env);
  if (given.X402_PAY_TO === undefined) return null;
  const network = networks[given.X402_NETWORK ?? defaultNetwork];
  const facilitatorUrl = given.X402_FACILITATOR_URL ?? (network.testnet ? testnetFacilitator : undefined);
  const problems = problemsOf(given, network.name, facilitatorUrl);
  const rpcUrl = given.X402_RPC_URL;
  if (problems.length > 0 || rpcUrl === undefined || facilitatorUrl === undefined) throw new SettingsError(problems);
  const terms: Terms = {
    network,
    payTo: getAddress(given.X402_PAY_TO),
    amount: BigInt(given.X402_AMOUNT),
    maxTimeoutSeconds,
  };
  return {
    terms,
    facilitator: {
      url: facilitatorUrl,
      headers: given.X402_FACILITATOR_HEADERS,
      verifyTimeoutMs: given.X402_VERIFY_TIMEOUT_MS,
      settleTimeoutMs: given.X402_SETTLE_TIMEOUT_MS,
    },
    chain: { url: rpcUrl, timeoutMs: given.X402_RPC_TIMEOUT_MS, logRangeBlocks: given.X402_RPC_LOG_RANGE },
    rows: {
      openMax: given.X402_PAYER_MAX,
      replayMs: given.X402_REPLAY_MS,
      claimableMs: given.X402_CLAIMABLE_MS,
      repeatMs: given.X402_REPEAT_MS,
    },
    limits: {
      validity: { minLeftSeconds: 15, maxLeftSeconds: 3_600 },
      leaseMs: given.X402_LEASE_MS,
      reconcileMs: given.X402_RECONCILE_TIMEOUT_MS,
      followMs: given.X402_FOLLOW_TIMEOUT_MS,
      openMax: given.X402_PAYER_MAX,
    },
    audit: { everyMs: given.X402_AUDIT_MS },
    observer: { everyMs: given.X402_OBSERVE_MS, keepMs: given.X402_KEEP_DAYS * day },
    /** Payments under way in this process; more are refused before they cost anything. */
    concurrentMax: given.X402_CONCURRENT_MAX,
    publicUrl: given.PUBLIC_URL?.replace(/\/+$/, ''),
    bazaar: given.X402_BAZAAR === 'true',
    /** To be said aloud at start. */
    warning:
      given.NODE_ENV === 'production' && network.testnet
        ? `The paid search takes test money in production: ${network.name} is a testnet.`
        : undefined,
  } as const;
}

/** The network of which a node is configured; null where nothing is said of payments. Nothing is checked. */
export function configuredNetwork(env: Environment): string | null {
  return env.X402_NETWORK || (env.X402_PAY_TO ? defaultNetwork : null);
}

function problemsOf(
  given: z.output<typeof variables>,
  network: NetworkName,
  facilitatorUrl: string | undefined,
): readonly string[] {
  const problems: string[] = [];
  const payTo = payToProblem(given.X402_PAY_TO ?? '', networks[network].asset);
  if (payTo !== null) problems.push(`X402_PAY_TO: ${payTo}`);
  if (given.X402_RPC_URL === undefined) {
    problems.push(
      `X402_RPC_URL: is not set; give the address of a ${network} node to read from, for without it nobody can tell how an interrupted payment ended`,
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

function payToProblem(payTo: string, asset: Hex): string | null {
  if (!/^0x[0-9a-fA-F]{40}$/.test(payTo)) return 'must be an address: 0x and 40 hexadecimal digits';
  const hasChecksum = payTo !== payTo.toLowerCase();
  if (hasChecksum && !isAddress(payTo)) {
    return 'has a wrong checksum, so a digit is probably mistyped; copy the address again';
  }
  if (/^0x0{40}$/.test(payTo)) return 'is the zero address: money sent there is lost';
  if (payTo.toLowerCase() === asset.toLowerCase()) return 'is the token itself: money sent there is lost';
  return null;
}
