import { isHex } from 'viem';
import { z } from 'zod';
import type { Network } from '../payments/protocol/networks.ts';
import { optionalText, SettingsError } from './settings.ts';

const name = 'DEMO_WALLET_PRIVATE_KEY';

/** A wallet that the sign-in page hands to everybody, so that newcomers need none. */
export interface DemoWallet {
  readonly privateKey: `0x${string}`;
}

export const demoWalletVariable = optionalText
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
      'The private key of a play wallet that the sign-in page hands to everybody, as `npm run demo` does. Refused in production, on a main network, and wherever others could reach the process.',
  });

/** What decides whether everybody who reaches the page may have the wallet. */
export interface DemoWalletSurroundings {
  readonly DEMO_WALLET_PRIVATE_KEY?: `0x${string}` | undefined;
  readonly NODE_ENV?: string | undefined;
  readonly HOST: string;
  readonly PUBLIC_URL?: string | undefined;
  readonly TRUST_PROXY: number;
  readonly network: Network | undefined;
}

const loopbackHosts = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i;

/** The wallet; null where none is given. Throws `SettingsError` wherever it could be more than a toy. */
export function demoWallet({
  DEMO_WALLET_PRIVATE_KEY: privateKey,
  ...given
}: DemoWalletSurroundings): DemoWallet | null {
  if (privateKey === undefined) return null;
  const { NODE_ENV, HOST, PUBLIC_URL, TRUST_PROXY, network } = given;
  const problems = [
    ...(NODE_ENV === 'production' ? ['everybody may sign with this key: take it out of production'] : []),
    ...(network?.testnet === true ? [] : ['is for play money only: set X402_NETWORK to a testnet, or take it out']),
    ...(loopbackHosts.test(HOST) ? [] : [`everybody who reaches ${HOST} would get it: set HOST to 127.0.0.1`]),
    ...(PUBLIC_URL === undefined || loopbackHosts.test(new URL(PUBLIC_URL).hostname)
      ? []
      : [`everybody who reaches ${PUBLIC_URL} would get it: take out one of the two`]),
    ...(TRUST_PROXY === 0 ? [] : ['a proxy in front lets others reach the page: set TRUST_PROXY to 0']),
  ];
  if (problems.length > 0) throw new SettingsError(problems.map((problem) => `${name}: ${problem}`));
  return { privateKey };
}
