/** A chain on which a search can be paid, in CAIP-2 form. */
export const networkNames = ['eip155:84532', 'eip155:8453'] as const;
export type NetworkName = (typeof networkNames)[number];

/** A 20-byte address or longer bytes in hexadecimal, as EVM tools write them. */
export type Hex = `0x${string}`;

/** One chain. The tokens that are taken on it are in assets.ts. */
export interface Network {
  readonly name: NetworkName;
  readonly title: string;
  readonly chainId: number;
  /** The address of a block explorer, without a slash at the end. */
  readonly explorerUrl: string;
  readonly testnet: boolean;
  /** Usual distance of two blocks, to guess a block's number from a time. */
  readonly blockSeconds: number;
  /**
   * Blocks that may still be replaced. Base's sequencer has replaced a few seconds at most. `payments audit` finds
   * anything reverted later.
   */
  readonly reorgBlocks: number;
}

/**
 * The facilitator of a new installation. It needs no account and settles on testnets only. The name needs `www.`: the
 * bare name answers with a redirect, and redirects are not followed.
 */
export const testnetFacilitator = 'https://www.x402.org/facilitator';

export const networks: Readonly<Record<NetworkName, Network>> = {
  'eip155:84532': {
    name: 'eip155:84532',
    title: 'Base Sepolia',
    chainId: 84_532,
    explorerUrl: 'https://sepolia.basescan.org',
    testnet: true,
    blockSeconds: 2,
    reorgBlocks: 15,
  },
  'eip155:8453': {
    name: 'eip155:8453',
    title: 'Base',
    chainId: 8_453,
    explorerUrl: 'https://basescan.org',
    testnet: false,
    blockSeconds: 2,
    reorgBlocks: 15,
  },
};
