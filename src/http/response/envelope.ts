import type { Clock } from '../../ports.ts';

/** The keyed API's answer around `data`. */
export interface Envelope<Data> {
  readonly success: true;
  readonly data: Data;
  readonly message: string;
  readonly meta: { readonly requestId: string; readonly timestamp: string; readonly version: 'v1' };
}

/** @param message a sentence about the result for people */
export function envelope<Data>(data: Data, message: string, requestId: string, clock: Clock): Envelope<Data> {
  return {
    success: true,
    data,
    message,
    meta: { requestId, timestamp: new Date(clock.now()).toISOString(), version: 'v1' },
  };
}
