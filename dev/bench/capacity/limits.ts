import { defaultLimits } from '../../../indexer/limits.ts';
import { indexerSettings } from '../../../src/config/indexer.ts';
import type { Constants } from './constants.ts';
import type { Plan } from './plan.ts';
import { copiesWaitHours, type Rebuild } from './rebuild.ts';

// What breaks as everything that was asked for grows, and what then helps.

/** Who can push a limit: more machines or processes, a setting, or only another version of the program. */
export type Remedy = 'machines' | 'setting' | 'program';

export interface Limit {
  readonly what: string;
  /** It bears so many times what was asked for. Below 1: not even that. */
  readonly times: number;
  readonly remedy: Remedy;
  readonly help: string;
}

/** Ascending: what breaks first is the first. */
export function limitsOf(
  plan: Plan,
  constants: Constants,
  rebuilt: { readonly rebuild: Rebuild; readonly caughtUpPerSecond: number; readonly logEntries: number },
): readonly Limit[] {
  const { asked, layout } = plan;
  const { changesPerSecond, searchesPerSecond } = asked;
  const limits: Limit[] = [
    {
      what: `cores of ${layout.machines} machines of Elasticsearch`,
      times: 1 / layout.busy,
      remedy: 'machines',
      help: 'more machines and ELASTICSEARCH_REPLICAS; at its most, more shards',
    },
  ];
  if (searchesPerSecond > 0) {
    limits.push({
      what: `${plan.apiProcesses} API processes`,
      times: (plan.apiProcesses * 1_000) / (searchesPerSecond * constants.apiMs.value),
      remedy: 'machines',
      help: 'more processes',
    });
  }
  if (changesPerSecond > 0) limits.push(...limitsOfChanges(plan, constants, rebuilt));
  const { copyHours } = rebuilt.rebuild;
  limits.push({
    what: 'copies made within the ten minutes that a swap waits for them',
    times: copiesWaitHours / copyHours,
    remedy: 'program',
    help: 'raise indices.recovery.max_bytes_per_sec; else few copies bear all searches after a swap',
  });
  return limits.filter(({ times }) => Number.isFinite(times)).sort((one, other) => one.times - other.times);
}

function limitsOfChanges(
  plan: Plan,
  constants: Constants,
  { caughtUpPerSecond, logEntries }: { readonly caughtUpPerSecond: number; readonly logEntries: number },
): readonly Limit[] {
  const { changesPerSecond, kept } = plan.asked;
  const indices = 1 + kept;
  const postgresMs = constants.commitMs.value + indices * constants.readMs.value;
  return [
    {
      what: `one sync process, which follows ${indices} ${indices === 1 ? 'index' : 'indices'} of the kind`,
      times: 1 / plan.oneReaderBusy,
      remedy: 'setting',
      help: `set SYNC_PARTS=${plan.readers + 1} and run as many${kept > 0 ? '; GENERATIONS_KEPT=0 saves a part' : ''}`,
    },
    requestsLimit(plan, constants),
    {
      what: 'catching up after a load, by one reader',
      times: caughtUpPerSecond / changesPerSecond,
      remedy: 'program',
      help: 'load when less is written: beyond it a reindex never ends',
    },
    {
      what: `Postgres, on ${plan.postgresCores} cores`,
      // One core is a rebuild's.
      times: ((plan.postgresCores - 1) * 1_000) / (changesPerSecond * postgresMs),
      remedy: 'machines',
      help: 'a larger machine: there is one primary',
    },
    {
      what: 'CHANGE_LOG_MAX_ENTRIES while the index is rebuilt',
      times: indexerSettings({}).CHANGE_LOG_MAX_ENTRIES / logEntries,
      remedy: 'setting',
      help: `raise it to ${Math.ceil((2 * logEntries) / 1e6).toLocaleString('en')} million, so that half of it is free`,
    },
  ];
}

/** A request takes as long as the first copy of a shard and, after it, the others need. */
function requestsLimit({ asked, layout }: Plan, { writeMs }: Constants): Limit {
  const { requests } = defaultLimits.sync;
  const perSecond = (requests * layout.shards * 1_000) / (writeMs.value * 2);
  const times = perSecond / (asked.changesPerSecond * (1 + asked.kept));
  return {
    what: `${requests} requests of one sync process`,
    times,
    remedy: 'setting',
    help: 'memory grows with them',
  };
}
