import { type Asset, assetsOn } from '../../src/payments/protocol/assets.ts';
import { networks } from '../../src/payments/protocol/networks.ts';

/** The network whose id the local chain uses, and its tokens, at the addresses of the real ones. */
export const localNetwork = networks['eip155:84532'];
export const localAssets = assetsOn(localNetwork.name);
export const localAsset = localAssets[0] as Asset;
