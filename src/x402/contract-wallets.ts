import { verifyMessage } from 'viem/actions';
import { Unavailable } from '../account/ports.ts';
import type { SignedByAddress } from '../account/proofs.ts';
import {
  createNodeClient,
  mayBeContract,
  type NodeSettings,
  readingChain,
  requireChain,
  verifyOnChain,
} from './node-client.ts';

/**
 * Checks signatures of contract wallets at a node of the chain (ERC-1271, ERC-6492). Opens no connection until it is used. Answers of a node of another chain
 * are refused, because the same address may belong to someone else there.
 */
export function createContractWallets(settings: NodeSettings, chainId: number) {
  const client = createNodeClient(settings);
  return {
    async verify(signed: SignedByAddress): Promise<boolean> {
      try {
        return await readingChain(async () => {
          await requireChain(client, chainId);
          const { address, signature } = signed;
          if (!(await mayBeContract(client, address, signature))) return false;
          return verifyOnChain(client, (asking) => verifyMessage(asking, signed));
        });
      } catch (cause) {
        throw new Unavailable('chain', cause);
      }
    },
  };
}
