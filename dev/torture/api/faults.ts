import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { chainClient } from '../../chain/chain.ts';
import type { Engines } from '../../engines/engines.ts';
import { findProcessesIn, isAnswered, signalProcess, until } from '../../lib/processes.ts';
import type { Fault, FaultProxy } from '../fault-proxy.ts';
import type { Member } from './fleet.ts';
import type { Excuse } from './traffic.ts';

/** A fault. `end` resolves when the broken part works again, as far as can be checked directly. */
export interface FaultInjection {
  readonly name: string;
  readonly excuse: Excuse;
  begin(): Promise<void>;
  end(): Promise<void>;
}

export interface FaultTargets {
  readonly engines: Engines;
  /** The state directory of the engines, a real path. */
  readonly state: string;
  readonly elasticsearch: FaultProxy;
  readonly postgres: FaultProxy;
  readonly members: readonly Member[];
  /** JSON-RPC address of the chain. */
  readonly chain: string;
}

const searchesFail: Excuse = { codes: ['search_unavailable', 'overloaded'] };
const databaseFails: Excuse = { codes: ['service_unavailable', 'overloaded'], uncounted: true };
const bothFail: Excuse = { codes: [...searchesFail.codes, ...databaseFails.codes], uncounted: true };
/** Longer than the timeouts of a search, but shorter than those after which watchdogs end a process. */
const stoppedMs = 4_000;
const heldMs = 3_000;
const backMs = 120_000;

const searchFaults: readonly Fault[] = ['refuse', 'hang', 'mute', 'cut', 'noise', 'page', 'busy', 'broken', 'slow'];
const databaseFaults: readonly Fault[] = ['refuse', 'hang', 'mute', 'cut', 'noise', 'slow'];

export function faultInjections(targets: FaultTargets): readonly FaultInjection[] {
  const byProxy = (engine: 'elasticsearch' | 'postgres', fault: Fault): FaultInjection => ({
    name: `${engine} ${fault}`,
    excuse: engine === 'elasticsearch' ? searchesFail : databaseFails,
    begin: async () => {
      await targets[engine].set(fault);
      await delay(heldMs);
    },
    end: () => targets[engine].set('pass'),
  });
  return [
    ...searchFaults.map((fault) => byProxy('elasticsearch', fault)),
    ...databaseFaults.map((fault) => byProxy('postgres', fault)),
    noBlockFault(targets),
    ...(['elasticsearch', 'postgres'] as const).flatMap((engine) => [
      stoppedFault(targets, engine),
      killedFault(targets, engine),
    ]),
    ...targets.members.flatMap((member) => [memberKilledFault(member), memberStoppedFault(member)]),
  ];
}

/** Only payers are affected. */
function noBlockFault({ chain }: FaultTargets): FaultInjection {
  const client = chainClient(chain);
  return {
    name: 'no block comes',
    excuse: { codes: [] },
    begin: async () => {
      await client.setAutomine(false);
      await delay(stoppedMs);
    },
    end: async () => {
      await client.setAutomine(true);
      await client.mine({ blocks: 1 });
    },
  };
}

const programs = { elasticsearch: 'java', postgres: 'postgres' } as const;

function signalAll({ state }: FaultTargets, engine: keyof typeof programs, signal: NodeJS.Signals): void {
  for (const pid of findProcessesIn(`${state}/${engine}`, programs[engine])) signalProcess(pid, signal);
}

function stoppedFault(targets: FaultTargets, engine: keyof typeof programs): FaultInjection {
  return {
    name: `${engine} stands still`,
    excuse: engine === 'elasticsearch' ? searchesFail : databaseFails,
    begin: async () => {
      signalAll(targets, engine, 'SIGSTOP');
      await delay(stoppedMs);
    },
    end: async () => signalAll(targets, engine, 'SIGCONT'),
  };
}

function killedFault(targets: FaultTargets, engine: keyof typeof programs): FaultInjection {
  return {
    name: `${engine} is killed`,
    excuse: engine === 'elasticsearch' ? searchesFail : databaseFails,
    begin: async () => {
      signalAll(targets, engine, 'SIGKILL');
      await until(async () => !(await works(targets.engines)), { timeoutMs: 10_000 });
    },
    async end() {
      if (await until(() => works(targets.engines), { timeoutMs: backMs, everyMs: 50 })) return;
      throw new Error(`${engine} did not come back within ${backMs / 1_000} s; see the log folder of the state.`);
    },
  };
}

function memberKilledFault(member: Member): FaultInjection {
  return {
    name: 'an API process is killed',
    excuse: { codes: [], lostAt: member.url, uncounted: true },
    begin: () => member.replace(),
    end: async () => undefined,
  };
}

function memberStoppedFault(member: Member): FaultInjection {
  return {
    name: 'an API process stands still',
    // When it wakes up, everything that waited has timed out.
    excuse: { codes: bothFail.codes, lostAt: member.url, uncounted: true },
    begin: async () => {
      process.kill(member.pid(), 'SIGSTOP');
      await delay(stoppedMs);
    },
    end: async () => void process.kill(member.pid(), 'SIGCONT'),
  };
}

async function works({ elasticsearch, postgres }: Engines): Promise<boolean> {
  const aliases = `${elasticsearch.url}/companies,people,investors,events`;
  // An engine that has just started is slow at first. It counts as started once its searches are quick.
  const search = `${aliases}/_search?q=first&allow_partial_search_results=false`;
  if (!(await isAnswered(search, { timeoutMs: 500 }))) return false;
  return onDatabase(postgres.url, 'select 1').then(
    () => true,
    () => false,
  );
}

async function onDatabase(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(text);
  } finally {
    await client.end().catch(() => undefined);
  }
}
