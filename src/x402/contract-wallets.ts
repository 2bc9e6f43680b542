import type { Client } from 'viem';
import { getChainId, verifyMessage } from 'viem/actions';
import type { ContractWallets } from '../account/ports.ts';
import {
  ChainError,
  createNodeClient,
  mayBeContract,
  type NodeSettings,
  readingChain,
  verifyOnChain,
} from './node-client.ts';

/**
 * Queries a node of the chain; opens nothing until it is used. A node of another chain is never believed: the same
 * address may be another owner's contract there.
 */
export function createContractWallets(settings: NodeSettings, chainId: number): ContractWallets {
  const client = createNodeClient(settings);
  let isOfChain = false;

  async function requireChain(): Promise<void> {
    if (isOfChain) return;
    const found = await readingChain(() => getChainId(client));
    if (found !== chainId)
      throw new ChainError(`The node is of the chain ${found}, not of ${chainId}: see X402_NETWORK.`);
    isOfChain = true;
  }

  return {
    async verify(signed) {
      try {
        await requireChain();
        return { ok: true, value: await readingChain(() => holds(client, signed)) };
      } catch (cause) {
        return { ok: false, cause };
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
  if (!(await mayBeContract(client, address, signature))) return false;
  return verifyOnChain(client, (asking) => verifyMessage(asking, { address, message, signature }));
}
