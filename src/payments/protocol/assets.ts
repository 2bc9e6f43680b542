import { type Hex, type NetworkName, networks } from './networks.ts';

/** A token in which a search can be paid. All are pegged to the dollar. */
export interface Asset {
  readonly network: NetworkName;
  /** The name in `X402_ASSET`. */
  readonly symbol: string;
  /**
   * Its contract, with checksum. By default, clients refuse to pay with any token but the network's USDC. The token's
   * next event after `AuthorizationUsed` must be the `Transfer` of that authorization (see evidence.ts).
   */
  readonly address: Hex;
  /** The number of decimal places of a dollar in base units. */
  readonly decimals: number;
  /** Its EIP-712 domain; a wrong name shows only as "invalid signature". */
  readonly domain: { readonly name: string; readonly version: string };
}

/** To add a token, add a row. Don't remove one while the ledger may name it. */
export const assets: readonly Asset[] = [
  {
    network: 'eip155:84532',
    symbol: 'USDC',
    address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    decimals: 6,
    domain: { name: 'USDC', version: '2' },
  },
  {
    network: 'eip155:8453',
    symbol: 'USDC',
    address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    decimals: 6,
    domain: { name: 'USD Coin', version: '2' },
  },
];

export function assetsOn(network: NetworkName): readonly Asset[] {
  return assets.filter((asset) => asset.network === network);
}

/** Returns the token that a payment names, by its address in any case. */
export function assetOf({ network, asset: address }: { readonly network: string; readonly asset: string }): Asset {
  const wanted = address.toLowerCase();
  const found = assets.find((asset) => asset.network === network && asset.address.toLowerCase() === wanted);
  if (found === undefined) throw new Error(`The token ${address} on ${network} is not known any more.`);
  return found;
}

export function networkOf({ network }: Asset) {
  return networks[network];
}

/** Base units as dollars, such as `0.01`: at least two decimals, no more than are needed. */
export function usd(amount: bigint, { decimals }: Pick<Asset, 'decimals'>): string {
  const unitsPerDollar = 10n ** BigInt(decimals);
  const fraction = (amount % unitsPerDollar).toString().padStart(decimals, '0').replace(/0+$/, '').padEnd(2, '0');
  return `${amount / unitsPerDollar}.${fraction}`;
}

/** Returns one cent in base units, the default price of a search. */
export function oneCent({ decimals }: Pick<Asset, 'decimals'>): bigint {
  return 10n ** BigInt(decimals - 2);
}
