import { entitySearch } from '../../../dev/lib/command-line.ts';
import { withCommandLimits } from '../../../dev/lib/limits.ts';
import { type Finding, runDoctor } from '../doctor.ts';
import { until } from '../until.ts';
import { type ReindexStage, setReindexStage } from './reindex.ts';

/** An installation without findings of doctor, and its sync. */
export interface DoctorStage extends Omit<ReindexStage, 'run'> {
  /** Waits for the expected number of new findings other than `ok`, and returns them. */
  complaintsOf(count: number): Promise<readonly Finding[]>;
  /** Runs the command of a finding. */
  follow(todo: string): Promise<void>;
  run(...args: readonly string[]): ReturnType<typeof entitySearch>;
  stopSync(): Promise<void>;
  /** Stops a reindex after it has begun its index. */
  interruptReindex(kind: string): Promise<void>;
}

/** Findings that other tests on the same engines affect. */
const shared = ['elasticsearch health', 'elasticsearch disk', 'postgres role'];

export async function setDoctorStage(): Promise<DoctorStage> {
  const stage = await setReindexStage();
  const env = withCommandLimits(
    { ...stage.env, GENERATIONS_KEPT: '3' },
    { verify: { waitMs: 2_000 }, sync: { pollMs: 500 } },
  );
  const run = (...args: readonly string[]) => entitySearch(args, env);
  let sync: { readonly stop: AbortController; readonly ended: Promise<unknown> } | undefined;
  const startSync = (): void => {
    const stop = new AbortController();
    sync = { stop, ended: entitySearch(['sync'], env, stop.signal) };
  };
  const stopSync = async (): Promise<void> => {
    sync?.stop.abort();
    await sync?.ended;
  };
  const examine = async (): Promise<readonly Finding[]> => {
    const { findings } = await runDoctor(env);
    return findings.filter(({ level, check }) => (level === 'warn' || level === 'fail') && !shared.includes(check));
  };
  await run('reindex');
  await run('reindex', 'companies');
  await run('accounts', 'create', 'Example', '--plan', 'starter');
  await run('keys', 'create', '--account', 'Example', '--name', 'first');
  startSync();
  const first = new Set<string>();
  await until(async () => {
    const findings = await examine();
    first.clear();
    for (const { found } of findings) first.add(found);
    return !findings.some(({ check }) => check === 'sync');
  }, 'the start of sync');
  return {
    ...stage,
    run,
    stopSync,
    async interruptReindex(kind) {
      const stop = new AbortController();
      const ended = entitySearch(['reindex', kind], env, stop.signal);
      const begun = `select from search_generations where kind = $1 and state in ('created', 'loading')`;
      while ((await stage.pool.query(begun, [kind])).rowCount === 0) {}
      stop.abort(new Error('Stopped by SIGINT.'));
      await ended;
    },
    async complaintsOf(count) {
      let found: readonly Finding[] = [];
      await until(async () => {
        found = (await examine()).filter((one) => !first.has(one.found));
        return found.length === count;
      }, `${count} complaints`);
      return found;
    },
    async follow(todo) {
      for (const command of commandIn(todo).split(' && ')) {
        if (command === 'entity-search sync') startSync();
        else if (command.startsWith('entity-search ')) await run(...command.split(' ').slice(1));
        else await curl(command, stage.indices.url);
      }
    },
    [Symbol.asyncDispose]: async () => {
      await stopSync();
      await stage[Symbol.asyncDispose]();
    },
  };
}

/** `Run: …`, `Start: …`, or `…, then run: …`. */
function commandIn(todo: string): string {
  const command = /(?:Run|run|Start|with): (.*)$/s.exec(todo)?.[1];
  if (command === undefined) throw new Error(`No command in: ${todo}`);
  return command;
}

async function curl(command: string, url: string): Promise<void> {
  const path = /"\$ELASTICSEARCH_URL(\S+)"$/.exec(command)?.[1];
  const method = /^curl -X (\w+) /.exec(command)?.[1];
  if (path === undefined || method === undefined) throw new Error(`No curl: ${command}`);
  const body = / -d '(.*?)' /.exec(command)?.[1];
  const sent = body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } };
  const response = await fetch(`${url}${path}`, { method, ...sent });
  if (!response.ok) throw new Error(`${command}: ${await response.text()}`);
}
