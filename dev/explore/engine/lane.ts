import { Worker } from 'node:worker_threads';
import { signatureOf, watchUnhandledRejections } from './run.ts';
import { depthFirst, type Hooks, type Job, type Tally } from './search.ts';
import { shrink } from './shrink.ts';
import type { Finding, Scenario } from './types.ts';
import { Visited } from './visited.ts';
import { type Walks, walkAtRandom } from './walk.ts';

/** A piece of work for one lane: a subtree of schedules, or a batch of random walks. */
export interface Order {
  readonly scenario: string;
  readonly work: { readonly job: Job } | { readonly walks: Walks };
  /** Epoch, ms. */
  readonly deadline: number;
  /** Signatures of failures that have a finding already. */
  readonly knownFailures: readonly string[];
  readonly settings: LaneSettings;
}

export interface LaneSettings {
  readonly prune: boolean;
  readonly stopAtFirst: boolean;
  readonly selfCheckEvery: number;
}

export interface Done {
  readonly schedules: number;
  readonly pruned: number;
  readonly steps: number;
  readonly deepest: number;
  readonly failures: number;
  readonly complete: boolean;
  readonly unbounded: boolean;
  readonly findings: readonly Finding[];
}

/** The shared state of all lanes: the visited states, and these numbers. */
export interface Shared {
  readonly visited: SharedArrayBuffer;
  readonly control: SharedArrayBuffer;
}

/** Places in `control`. */
export const STOPPED = 0;
export const HUNGRY = 1;
export const RUNS = 2;
export const STEPS = 3;

/** Something that does one order at a time. */
export interface Lane extends AsyncDisposable {
  /** @param donate takes the parts of the order that it gives away because others are hungry */
  run(order: Order, donate: (jobs: readonly Job[]) => void): Promise<Done>;
}

/** Does an order here, in this thread. */
export async function fulfil(
  order: Order,
  scenarios: readonly Scenario[],
  shared: Shared,
  donate: ((jobs: readonly Job[]) => void) | null,
): Promise<Done> {
  const scenario = scenarios.find(({ name }) => name === order.scenario);
  if (!scenario) throw new Error(`There is no scenario ${order.scenario}.`);
  await prepared(scenario);
  const control = new Int32Array(shared.control);
  const { settings, work, deadline } = order;
  const hooks: Hooks = {
    stopped: () => Atomics.load(control, STOPPED) === 1 || Date.now() >= deadline,
    ran: (steps, failed) => {
      Atomics.add(control, RUNS, 1);
      Atomics.add(control, STEPS, steps);
      if (failed && settings.stopAtFirst) Atomics.store(control, STOPPED, 1);
    },
    ...(donate && { donate, hungry: () => Atomics.load(control, HUNGRY) > 0 }),
  };
  using _watch = watchUnhandledRejections();
  const visited = settings.prune ? new Visited(shared.visited) : null;
  const tally =
    'job' in work
      ? await depthFirst(scenario, work.job, visited, hooks, settings.selfCheckEvery)
      : await walkAtRandom(scenario, work.walks, hooks);
  const { schedules, pruned, steps, deepest, failures, complete, unbounded } = tally;
  const findings = await findingsOf(scenario, tally, order.knownFailures);
  return { schedules, pruned, steps, deepest, failures, complete, unbounded, findings };
}

async function findingsOf(scenario: Scenario, tally: Tally, known: readonly string[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { failure, path } of tally.found.values()) {
    if (!known.includes(signatureOf(failure))) findings.push(await shrink(scenario, path, failure));
  }
  return findings;
}

const preparations = new WeakMap<Scenario, Promise<void>>();

function prepared(scenario: Scenario): Promise<void> {
  let ready = preparations.get(scenario);
  if (!ready) {
    ready = scenario.prepare?.() ?? Promise.resolve();
    preparations.set(scenario, ready);
  }
  return ready;
}

/** The lane of this thread: it has no other lane to donate jobs to. */
export function localLane(scenarios: readonly Scenario[], shared: Shared): Lane {
  return {
    run: (order) => fulfil(order, scenarios, shared, null),
    [Symbol.asyncDispose]: async () => {},
  };
}

export type FromWorker =
  | { readonly type: 'donated'; readonly jobs: readonly Job[] }
  | { readonly type: 'done'; readonly done: Done }
  | { readonly type: 'broken'; readonly message: string };

/** @param module URL of the module whose export `scenarios` has them; the worker imports it again */
export function workerLane(module: string, shared: Shared): Lane {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: { module, shared } });
  let pending: { order: Order; donate(jobs: readonly Job[]): void; resolve(done: Done): void } | null = null;
  let fail: (error: Error) => void = () => {};
  worker.on('message', (message: FromWorker) => {
    if (message.type === 'donated') pending?.donate(message.jobs);
    else if (message.type === 'done') pending?.resolve(message.done);
    else fail(new Error(`A worker of the explorer failed: ${message.message}`));
  });
  worker.on('error', (error) => fail(new Error('A worker of the explorer failed', { cause: error })));
  worker.on('exit', (code) => fail(new Error(`A worker of the explorer ended with ${code}`)));
  return {
    run: (order, donate) =>
      new Promise((resolve, reject) => {
        pending = { order, donate, resolve };
        fail = reject;
        worker.postMessage(order);
      }),
    [Symbol.asyncDispose]: async () => {
      fail = () => {};
      await worker.terminate();
    },
  };
}
