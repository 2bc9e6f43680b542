import { defaultLimits } from '../../../indexer/limits.ts';
import { indexerSettings } from '../../../src/config/indexer.ts';
import type { Constants } from './constants.ts';
import { type Clock, Servers } from './events.ts';

// What the programs allow themselves by default.

/** Documents of a `_bulk` request. */
export function batchDocuments({ documentBytes }: Pick<Constants, 'documentBytes'>): number {
  return Math.max(1, Math.floor(defaultLimits.sync.batchBytes / documentBytes.value));
}

/** Batches and requests that a process may have at once. */
export function slotsOf(
  clock: Clock,
  of: 'sync' | 'reindex',
): { readonly buffers: Servers; readonly requests: Servers } {
  const settings = indexerSettings({});
  const requests = of === 'sync' ? defaultLimits.sync.requests : settings.REINDEX_REQUESTS;
  const { bytesPerRequest, batchBytes } = defaultLimits[of];
  return {
    buffers: new Servers(clock, Math.floor((requests * bytesPerRequest) / batchBytes)),
    requests: new Servers(clock, requests),
  };
}
