import { type HDAccount, mnemonicToAccount } from 'viem/accounts';

/**
 * The accounts of the local chain. Their phrase is the one that every development chain uses: these keys are known to
 * the whole world and hold nothing anywhere else.
 */
const phrase = 'test test test test test test test test test test test junk';

function account(index: number): HDAccount {
  return mnemonicToAccount(phrase, { addressIndex: index });
}

export const localAccounts = {
  deployer: () => account(0),
  facilitator: () => account(1),
  /** Has many dollars. */
  payer: () => account(2),
  /** Receives what is paid. */
  merchant: () => account(9),
} as const;

export function privateKeyOf(hd: HDAccount): `0x${string}` {
  const key = hd.getHdKey().privateKey;
  if (key === null) throw new Error('An account made from a phrase has a private key.');
  return `0x${Buffer.from(key).toString('hex')}`;
}
