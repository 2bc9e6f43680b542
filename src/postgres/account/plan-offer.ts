import type { Pool } from 'pg';
import { cachedSingleFlight } from '../../lib/concurrency/single-flight.ts';
import type { Clock, PlanOffer } from '../../ports.ts';
import { withStatementTimeout } from '../statements.ts';

/** Time for which limits that were read are used, and the pause after a failure. */
const readEveryMs = 60_000;

const limits = `
  select calls_per_minute as "callsPerMinute", calls_per_month as "callsPerMonth" from plans where name = $1 and active`;

/**
 * Keeps the limits of a plan, about a minute old at most, without delaying requests.
 * @param onFailure called with the reason if the limits could not be read; the earlier ones are kept
 */
export function createPlanOffer(
  pool: Pool,
  name: string,
  { timeoutMs, clock }: { readonly timeoutMs: number; readonly clock: Clock },
  onFailure: (cause: unknown) => void,
): PlanOffer {
  let latest: ReturnType<PlanOffer['latest']> = null;
  const database = withStatementTimeout(pool, timeoutMs);
  const look = cachedSingleFlight(
    async () => {
      try {
        const { rows } = await database.query<NonNullable<typeof latest>>(limits, [name]);
        latest = rows[0] ?? null;
      } catch (cause) {
        onFailure(cause);
      }
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
