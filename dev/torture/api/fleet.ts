import { type RunningApi, startApi } from '../../demo/api.ts';
import { choosePort } from '../../lib/ports.ts';

/** One of several API processes, which can be killed and restarts at the same address. */
export interface Member {
  readonly url: string;
  pid(): number;
  /** Kills the process and starts another one. Resolves when that one is healthy. */
  replace(): Promise<void>;
  stop(): Promise<void>;
}

export interface FleetOptions {
  readonly members: number;
  readonly env: Readonly<Record<string, string>>;
  readonly logFile: (member: number) => string;
  readonly signal: AbortSignal;
}

/** Several API processes on the same engines. After any error nothing is left running. */
export async function startFleet(options: FleetOptions): Promise<readonly Member[]> {
  const members: Member[] = [];
  try {
    for (let at = 0; at < options.members; at += 1) members.push(await startMember(options, at));
    return members;
  } catch (error) {
    await Promise.all(members.map((member) => member.stop()));
    throw error;
  }
}

async function startMember({ env, logFile, signal }: FleetOptions, at: number): Promise<Member> {
  const port = await choosePort(undefined);
  const start = (): Promise<RunningApi> => startApi({ port, logFile: logFile(at), env, signal });
  let api = await start();
  return {
    url: api.url,
    pid: () => api.pid,
    async replace() {
      process.kill(api.pid, 'SIGKILL');
      await api.exited;
      api = await start();
    },
    stop: () => api.stop(),
  };
}

export function urlsOf(fleet: readonly Member[]): [string, ...string[]] {
  const [first, ...others] = fleet.map(({ url }) => url);
  if (first === undefined) throw new Error('A fleet has members.');
  return [first, ...others];
}
