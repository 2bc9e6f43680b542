import type { Config } from '../../config/api.ts';
import { createLimiter } from '../../lib/concurrency/limiter.ts';
import type { Limiters } from '../../ports.ts';

export function createLimiters({ requestsMax, searchesMax, recordsMax, ...queue }: Config['load']): Limiters {
  return {
    requests: createLimiter({ slotsMax: requestsMax, ...queue, waitingMax: 0 }),
    searches: createLimiter({ slotsMax: searchesMax, ...queue }),
    records: createLimiter({ slotsMax: recordsMax, ...queue }),
  };
}
