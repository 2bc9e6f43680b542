import type { Client } from 'viem';
import { getCode, verifyMessage } from 'viem/actions';
import { type ContractWallets, Unavailable } from '../account/ports.ts';
import {
  createNodeClient,
  type NodeSettings,
  readingChain,
  requireChain,
  undeployedMark,
  verifyOnChain,
} from './node-client.ts';

/**
 * Queries a node of the chain; opens nothing until it is used. A node of another chain is never believed: the same
 * address may be another owner's contract there.
 */
export function createContractWallets(settings: NodeSettings, chainId: number): ContractWallets {
  const client = createNodeClient(settings);
  return {
    async verify(signed) {
      try {
        return await readingChain(async () => {
          await requireChain(client, chainId);
          return holds(client, signed);
        });
      } catch (cause) {
        throw new Unavailable('chain', cause);
      }
    },
  };
}

type SignedMessage = Parameters<ContractWallets['verify']>[0];

/** The suffix of signatures with a delegation that is not on the chain yet (ERC-8010). */
const delegationMark = '8010'.repeat(16);

async function holds(client: Client, { address, message, signature }: SignedMessage): Promise<boolean> {
  // The key of such an address signs by itself.
  if (signature.endsWith(delegationMark)) return false;
  // A signature may bring calls that deploy its wallet. Code that is there already, such as a delegate without an owner
  // (EIP-7702), must not be changed by them.
  const isDeployed = (await getCode(client, { address })) !== undefined;
  if (isDeployed === signature.endsWith(undeployedMark)) return false;
  return verifyOnChain(client, (asking) => verifyMessage(asking, { address, message, signature }));
}
