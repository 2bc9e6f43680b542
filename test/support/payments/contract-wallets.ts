import { concatHex, encodeAbiParameters, getContractAddress, keccak256, numberToHex } from 'viem';
import { compileContracts } from '../../../dev/chain/contracts.ts';
import type { Hex } from '../../../src/payments/protocol/networks.ts';

// Wallets that are contracts. Their signatures have an additional byte in front.

export const asWallet = (signature: Hex): Hex => concatHex(['0x00', signature]);

export const walletCode = (owner: Hex): Hex =>
  concatHex([compileContracts().LocalWallet as Hex, encodeAbiParameters([{ type: 'address' }], [owner])]);

/** The deployer of every development chain: the address of a contract is known in advance. */
const create2: Hex = '0x4e59b44847b379578588920cA78FbF26c0B4956C';

/** Wraps a signature with a call that is made before it is checked (ERC-6492). */
export function withCall(to: Hex, call: Hex, signature: Hex): Hex {
  const types = [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }] as const;
  return concatHex([encodeAbiParameters(types, [to, call, signature]), `0x${'6492'.repeat(16)}`]);
}

/** A contract that is not deployed yet: its signatures contain the deployment. */
export function undeployed(owner: Hex): { readonly address: Hex; wrap(signature: Hex): Hex } {
  const [code, salt] = [walletCode(owner), numberToHex(7n, { size: 32 })];
  return {
    address: getContractAddress({ opcode: 'CREATE2', from: create2, salt, bytecodeHash: keccak256(code) }),
    wrap: (signature) => withCall(create2, concatHex([salt, code]), signature),
  };
}
