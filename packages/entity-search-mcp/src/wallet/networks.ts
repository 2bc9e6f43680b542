/** A network on which the wallet can pay, and its USDC. What an offer says of the token is compared with this. */
interface Network {
  readonly title: string;
  readonly chainId: bigint;
  readonly usdc: {
    readonly address: string;
    /** Of its EIP-712 domain. */
    readonly name: string;
    readonly version: string;
  };
}

export const networks = {
  'eip155:84532': {
    title: 'Base Sepolia, test money',
    chainId: 84_532n,
    usdc: { address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', name: 'USDC', version: '2' },
  },
  'eip155:8453': {
    title: 'Base, real money',
    chainId: 8_453n,
    usdc: { address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', name: 'USD Coin', version: '2' },
  },
} as const satisfies Readonly<Record<string, Network>>;

/** As CAIP-2 writes it. */
export type NetworkName = keyof typeof networks;
