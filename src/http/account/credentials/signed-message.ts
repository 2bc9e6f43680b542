import { isAddress, isHex } from 'viem';
import { z } from 'zod';
import type { WalletProof } from '../../../account/credentials.ts';
import { proveWallet } from '../../../account/proofs.ts';
import type { Hex } from '../../../payments/protocol/networks.ts';
import { ContractWalletUnknown, SignInFailed } from '../../errors/account-errors.ts';
import type { AccountContext } from '../account-endpoint.ts';
import { browserOf } from '../cookies.ts';
import type { Asked } from './passkey-response.ts';
import { walletPlace } from './sign-in-place.ts';

/**
 * The largest message and signature in characters. The signature of a wallet that is not deployed yet contains its
 * code.
 */
const messageMax = 4_096;
const signatureMax = 32_768;

/** A wallet's address. If it mixes cases, they must be its checksum. */
export const walletAddress = z
  .string()
  .refine((text): text is Hex => isAddress(text), {
    error: 'must be an address: 0x and 40 hexadecimal digits, with a right checksum if it mixes cases',
  })
  .meta({ pattern: '^0x[0-9a-fA-F]{40}$' });

/** A message of POST wallets/challenge, and the wallet's signature of it. */
export const signedMessage = z.strictObject({
  message: z.string().min(1).max(messageMax).describe('The message as it was given, to the byte'),
  signature: z
    .string()
    .max(signatureMax)
    .refine((text): text is Hex => isHex(text) && text.length % 2 === 0 && text.length > 2, {
      error: 'must be 0x and pairs of hexadecimal digits',
    })
    .meta({ pattern: '^0x([0-9a-fA-F]{2})+$' }),
});

/**
 * Returns the wallet that signed one of our messages for a purpose. Throws `SignInFailed` if the proof fails, and
 * `Unavailable` if it could not be checked; the same signature may then be sent again.
 */
export async function readWalletProof(
  { ctx, deps, config, account }: AccountContext,
  signed: z.infer<typeof signedMessage>,
  { purpose, accountId }: Asked,
): Promise<WalletProof> {
  const place = walletPlace(ctx, config);
  const binding = { method: 'wallet', purpose, accountId, browser: browserOf(ctx, config) } as const;
  const proof = await proveWallet(account, place, binding, signed, deps.clock.now());
  if (typeof proof !== 'string') return proof;
  ctx.state.log.info({ purpose, reason: proof }, 'a signature of a wallet was refused');
  throw proof === 'contract unknown' ? new ContractWalletUnknown() : new SignInFailed();
}
