import { type RunningEngine, restartOnExit } from '../../../dev/engines/restart-on-exit.ts';
import { until } from '../../support/until.ts';

/** An engine whose end the test decides. */
function engine(url: string): RunningEngine & { crash(how: string): void } {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { url, exited: promise, crash: resolve, stop: async () => resolve('exit code 0') };
}

function stage(urls: readonly (string | undefined)[]) {
  let tries = 0;
  const started: ReturnType<typeof engine>[] = [];
  const said: string[] = [];
  const start = async (): Promise<RunningEngine> => {
    const url = urls[tries];
    tries += 1;
    if (url === undefined) throw new Error('killed while it was starting');
    const next = engine(url);
    started.push(next);
    return next;
  };
  return { started, said, start, options: { printLine: (line: string) => void said.push(line), pauseMs: 1 } };
}

const untilSaid = (said: readonly string[], text: string): Promise<void> =>
  until(() => said.some((line) => line.includes(text)), `the line "${text}"`);

test('an engine that exits by itself is restarted, and a stop does not count as a crash', async () => {
  const { started, said, start, options } = stage(['http://a', 'http://a']);
  const kept = await restartOnExit('Postgres', start, options);
  started[0]?.crash('signal SIGKILL');
  await untilSaid(said, 'has ended by itself (signal SIGKILL)');
  await until(() => started.length === 2, 'another start');
  await kept.stop();
  expect([kept.url, started.length, said.length]).toEqual(['http://a', 2, 1]);
});

test('an engine that is killed while starting is restarted, and a changed address is reported', async () => {
  const { started, said, start, options } = stage(['http://a', undefined, undefined, 'http://b']);
  const kept = await restartOnExit('Elasticsearch', start, options);
  started[0]?.crash('exit code 3');
  await untilSaid(said, 'its old address is taken');
  expect(said.filter((line) => line.includes('killed while it was starting'))).toHaveLength(2);
  expect(started).toHaveLength(2);
  await kept.stop();
});
