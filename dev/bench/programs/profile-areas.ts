import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';

/** How often the profiler looks, in microseconds: often enough for a search, seldom enough to cost a percent. */
const intervalUs = 250;

/** Milliseconds by area, of what a process did between two moments. */
export type ProfileAreas = Readonly<Record<string, number>>;

/** Looks at what the process does from now on; the returned function ends that and says what it did. */
export async function startProfile(): Promise<() => Promise<ProfileAreas>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: intervalUs });
  await session.post('Profiler.start');
  return async () => {
    const { profile } = await session.post('Profiler.stop');
    session.disconnect();
    return areasOf(profile);
  };
}

function areasOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): ProfileAreas {
  const areaOf = new Map(nodes.map(({ id, callFrame }) => [id, areaOfFrame(callFrame)]));
  const areas: Record<string, number> = {};
  for (const [at, id] of samples.entries()) {
    const area = areaOf.get(id) ?? 'other';
    // A sample's time is the one until the next.
    areas[area] = (areas[area] ?? 0) + (timeDeltas[at + 1] ?? 0) / 1_000;
  }
  return areas;
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
