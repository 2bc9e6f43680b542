import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';

/** How often the profiler looks, in microseconds: often enough for a search, seldom enough to cost a percent. */
const intervalUs = 250;

/** Milliseconds of CPU time by area, of what a process's main thread did between two moments. */
export type ProfileAreas = Readonly<Record<string, number>>;

/** Looks at what the process does from now on; the returned function ends that and says what it did. */
export async function startProfile(): Promise<() => Promise<ProfileAreas>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: intervalUs });
  await session.post('Profiler.start');
  const begun = process.threadCpuUsage();
  return async () => {
    const { user, system } = process.threadCpuUsage(begun);
    const { profile } = await session.post('Profiler.stop');
    session.disconnect();
    return areasOf(profile, (user + system) / 1_000);
  };
}

/**
 * A profile counts time on the clock, and with it the time in which others had the processor: of that, only what each
 * area had of the whole is taken.
 */
function areasOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile, cpuMs: number): ProfileAreas {
  const areaOf = new Map(nodes.map(({ id, callFrame }) => [id, areaOfFrame(callFrame)]));
  const areas = new Map<string, number>();
  for (const [at, id] of samples.entries()) {
    const area = areaOf.get(id) ?? 'other';
    // A sample's time is the one until the next.
    if (area !== 'idle') areas.set(area, (areas.get(area) ?? 0) + (timeDeltas[at + 1] ?? 0));
  }
  const whole = [...areas.values()].reduce((sum, time) => sum + time, 0);
  return Object.fromEntries([...areas].map(([area, time]) => [area, (time * cpuMs) / whole]));
}

/** What V8 calls what is no function. */
const noFunctions: Readonly<Record<string, string>> = {
  '(idle)': 'idle',
  '(garbage collector)': 'garbage collector',
  '(program)': 'program',
  '(root)': 'program',
};

/** `javascript …` for functions that are written in it, by folder, package or Node itself; else what else it is. */
function areaOfFrame({ functionName, url }: { readonly functionName: string; readonly url: string }): string {
  const other = noFunctions[functionName];
  if (other !== undefined) return other;
  if (url === '') return `native ${functionName}`;
  if (url.startsWith('node:')) return 'javascript node';
  const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (name !== undefined) return `javascript ${name}`;
  const [, folder = 'elsewhere'] = /\/((?:src|dev)(?:\/[^/]+(?=\/))?)/.exec(url) ?? [];
  return `javascript ${folder}`;
}
