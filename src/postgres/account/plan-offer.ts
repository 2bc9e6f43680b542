import type { Pool } from 'pg';
import { z } from 'zod';
import { cachedSingleFlight } from '../../lib/concurrency/single-flight.ts';
import type { Clock, PlanOffer } from '../../ports.ts';
import { queryOf, stored } from './transaction.ts';

/** Lifetime of the limits that were read, and the pause after a failure. */
const readEveryMs = 60_000;

const rowSchema = z
  .object({ calls_per_minute: z.int().nullable(), calls_per_month: z.coerce.number().nullable() })
  .transform((row) => ({ callsPerMinute: row.calls_per_minute, callsPerMonth: row.calls_per_month }));

/**
 * Follows a plan's limits without delaying requests: the limits are up to a minute old, or a moment more.
 * @param onFailure called with the reason if they could not be read; the earlier ones are kept
 */
export function createPlanOffer(
  pool: Pool,
  name: string,
  { timeoutMs, clock }: { readonly timeoutMs: number; readonly clock: Clock },
  onFailure: (cause: unknown) => void,
): PlanOffer {
  let latest: ReturnType<PlanOffer['latest']> = null;
  const query = queryOf(pool, timeoutMs);
  const look = cachedSingleFlight(
    async () => {
      const read = await stored(async () => {
        const [row] = await query('select calls_per_minute, calls_per_month from plans where name = $1 and active', [
          name,
        ]);
        return row === undefined ? null : rowSchema.parse(row);
      });
      if (read.ok) latest = read.value;
      else onFailure(read.cause);
    },
    readEveryMs,
    clock,
  );
  return {
    latest() {
      void look();
      return latest;
    },
  };
}
