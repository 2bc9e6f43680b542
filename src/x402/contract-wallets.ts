import type { Client } from 'viem';
import { verifyMessage } from 'viem/actions';
import type { ContractWallets } from '../account/ports.ts';
import { createNodeClient, mayBeContract, type NodeSettings, readingChain, verifyOnChain } from './node-client.ts';

/** Asks a node of the chain; opens nothing until it is used. */
export function createContractWallets(settings: NodeSettings): ContractWallets {
  const client = createNodeClient(settings);
  return {
    async verify(signed) {
      try {
        const valid = await readingChain(() => verifyOnChain(client, (asking) => holds(asking, signed)));
        return { ok: true, valid };
      } catch (cause) {
        return { ok: false, cause };
      }
    },
  };
}

type SignedMessage = Parameters<ContractWallets['verify']>[0];

/** What signatures end with that bring a delegation along, not on the chain yet (ERC-8010). */
const delegationMark = '8010'.repeat(16);

async function holds(client: Client, { address, message, signature }: SignedMessage): Promise<boolean> {
  // The key of such an address signs by itself.
  if (signature.endsWith(delegationMark)) return false;
  if (!(await mayBeContract(client, address, signature))) return false;
  return verifyOnChain(client, (asking) => verifyMessage(asking, { address, message, signature }));
}
