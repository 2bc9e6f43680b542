import { encodeFunctionData, parseAbi } from 'viem';
import type { LocalAccount } from 'viem/accounts';
import type { Hex } from '../../src/payments/protocol/networks.ts';
import type { Authorization } from '../../src/payments/protocol/payload.ts';
import { typedAuthorization } from '../../src/payments/protocol/signature.ts';
import { localAccounts } from './accounts.ts';
import { chainClient, multicallAddress } from './chain.ts';
import { localAsset, localNetwork } from './network.ts';

// Payers' own uses of their authorizations on the chain. No function waits for a block; the sender decides when it is
// mined.

/** An authorization with its payer's signature. Any holder of both can settle it on the chain. */
export interface SignedAuthorization {
  readonly authorization: Authorization;
  readonly signature: Hex;
}

const abi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)',
]);
const multicall = parseAbi([
  'function tryAggregate(bool requireSuccess, (address target, bytes callData)[] calls) payable',
]);

/** The payer of the gas: an account that the node itself signs for, one transaction after another, or a key. */
type Sender = Hex | LocalAccount;

type Signer = Pick<LocalAccount, 'address' | 'signTypedData'>;

export async function signAuthorization(payer: Signer, authorization: Authorization): Promise<SignedAuthorization> {
  return { authorization, signature: await payer.signTypedData(typedAuthorization(authorization, localAsset)) };
}

/** Sends the authorization's transfer. Returns the transaction, which may not be mined yet. */
export function sendTransfer(chainUrl: string, signed: SignedAuthorization): Promise<Hex> {
  return send(chainUrl, localAsset.address, transferData(signed), localAccounts.deployer.address);
}

/**
 * Sends one transaction that spends all of them, with the contract for multiple calls (Multicall3) that every chain
 * has.
 */
export function sendBatch(
  chainUrl: string,
  all: readonly SignedAuthorization[],
  sender: Sender = localAccounts.deployer.address,
): Promise<Hex> {
  const calls = all.map((signed) => ({ target: localAsset.address, callData: transferData(signed) }));
  const data = encodeFunctionData({ abi: multicall, functionName: 'tryAggregate', args: [true, calls] });
  return send(chainUrl, multicallAddress, data, sender);
}

export async function sendCancellation(
  chainUrl: string,
  payer: Signer,
  nonce: Hex,
  sender: Sender = localAccounts.deployer.address,
): Promise<Hex> {
  const signature = await payer.signTypedData({
    domain: { ...localAsset.domain, chainId: localNetwork.chainId, verifyingContract: localAsset.address },
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'CancelAuthorization',
    message: { authorizer: payer.address, nonce },
  });
  const args = [payer.address, nonce, signature] as const;
  return send(
    chainUrl,
    localAsset.address,
    encodeFunctionData({ abi, functionName: 'cancelAuthorization', args }),
    sender,
  );
}

function transferData({ authorization, signature }: SignedAuthorization): Hex {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const args = [from, to, value, validAfter, validBefore, nonce, signature] as const;
  return encodeFunctionData({ abi, functionName: 'transferWithAuthorization', args });
}

/** The gas limit is fixed, because a call that would fail now has no estimate and couldn't be sent. */
const gas = 3_000_000n;

function send(chainUrl: string, to: Hex, data: Hex, sender: Sender): Promise<Hex> {
  return chainClient(chainUrl).sendTransaction({
    account: sender,
    chain: null,
    to,
    data,
    gas,
  });
}
