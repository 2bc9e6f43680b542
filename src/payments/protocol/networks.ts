/** A chain on which a search can be paid, in CAIP-2 form. */
export const networkNames = ['eip155:84532', 'eip155:8453'] as const;
export type NetworkName = (typeof networkNames)[number];

/** A 20-byte address or longer bytes in hexadecimal, as EVM tools write them. */
export type Hex = `0x${string}`;

/** One chain, its USDC, and what the signature of a payment there must be made over. */
export interface Network {
  readonly name: NetworkName;
  readonly title: string;
  readonly chainId: number;
  readonly testnet: boolean;
  /**
   * The USDC contract, with its checksum. Clients refuse to pay with any other token by default. Of any token here it is
   * required that its next event after `AuthorizationUsed` is the `Transfer` of that authorization: evidence.ts.
   */
  readonly asset: Hex;
  /** The token's EIP-712 domain; a wrong name shows only as "invalid signature". */
  readonly domain: { readonly name: string; readonly version: string };
  /** Usual distance of two blocks, to guess a block's number from a time. */
  readonly blockSeconds: number;
  /**
   * Blocks that may still be taken back. Base's sequencer has taken back a few seconds at most; what is undone later than
   * that is found by `payments audit`.
   */
  readonly reorgBlocks: number;
}

/**
 * Where a new installation finds a facilitator that needs no account; it settles on testnets only. With `www.`: the bare
 * name answers with a redirect, and none is followed.
 */
export const testnetFacilitator = 'https://www.x402.org/facilitator';

export const networks: Readonly<Record<NetworkName, Network>> = {
  'eip155:84532': {
    name: 'eip155:84532',
    title: 'Base Sepolia',
    chainId: 84_532,
    testnet: true,
    asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    domain: { name: 'USDC', version: '2' },
    blockSeconds: 2,
    reorgBlocks: 15,
  },
  'eip155:8453': {
    name: 'eip155:8453',
    title: 'Base',
    chainId: 8_453,
    testnet: false,
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    domain: { name: 'USD Coin', version: '2' },
    blockSeconds: 2,
    reorgBlocks: 15,
  },
};
