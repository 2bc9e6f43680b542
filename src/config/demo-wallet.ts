import { isHex } from 'viem';
import { z } from 'zod';
import type { Network } from '../payments/protocol/networks.ts';
import { optionalText, SettingsError } from './settings.ts';

const name = 'DEMO_WALLET_PRIVATE_KEY';

/** A play wallet that the sign-in page gives to every visitor of the demo. */
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
      'Private key of a play wallet that the sign-in page gives to every visitor, as in `npm run demo`. Refused in production, on a main network, and if other machines can reach the process.',
  });

/** The settings that decide whether the page may give away the wallet. */
export interface DemoWalletSurroundings {
  readonly DEMO_WALLET_PRIVATE_KEY?: `0x${string}` | undefined;
  readonly NODE_ENV?: string | undefined;
  readonly HOST: string;
  readonly PUBLIC_URL?: string | undefined;
  readonly TRUST_PROXY: number;
  readonly network: Network | undefined;
}

const loopbackHosts = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i;

/** Returns the wallet, or null without one. Throws `SettingsError` if it could be more than a toy. */
export function demoWallet({
  DEMO_WALLET_PRIVATE_KEY: privateKey,
  ...given
}: DemoWalletSurroundings): DemoWallet | null {
  if (privateKey === undefined) return null;
  const { NODE_ENV, HOST, PUBLIC_URL, TRUST_PROXY, network } = given;
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
