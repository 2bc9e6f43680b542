import type { Config } from '../../config/api.ts';
import { createLimiter, noQueue } from '../../lib/concurrency/limiter.ts';
import type { Limiters } from '../../ports.ts';
import { type CallerClass, callerClasses } from '../caller-classes.ts';

export function createLimiters({ requestsMax, searchesMax, recordsMax, ...queue }: Config['load']): Limiters {
  const ofClass = (name: CallerClass) =>
    createLimiter({ slotsMax: Math.ceil(requestsMax * callerClasses[name].slotsShare), ...noQueue });
  return {
    requests: {
      keyed: ofClass('keyed'),
      account: ofClass('account'),
      payer: ofClass('payer'),
      visitor: ofClass('visitor'),
    },
    searches: createLimiter({ slotsMax: searchesMax, ...queue }),
    records: createLimiter({ slotsMax: recordsMax, ...queue }),
  };
}
