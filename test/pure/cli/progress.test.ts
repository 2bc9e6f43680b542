import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { Progress, rateOf } from '../../../cli/progress/progress.ts';
import { showReindex } from '../../../cli/progress/reindex.ts';
import { createTerminal } from '../../../cli/terminal.ts';

/** Returns what the work writes to stderr, a pipe or a terminal. */
async function stderrOf(work: (progress: Progress) => void, isTTY = false): Promise<string> {
  const stderr = Object.assign(new PassThrough(), { isTTY });
  const terminal = createTerminal(new PassThrough(), stderr);
  let nowMs = 0;
  {
    using progress = new Progress({ terminal, log: pino({ base: null }, stderr) }, () => (nowMs += 1_000));
    work(progress);
  }
  stderr.end();
  return text(stderr);
}

const jsonLines = (written: string) =>
  written
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('the rate is rows per second, from which the remaining time follows', () => {
  expect(rateOf(2_500, 10_000, 5_000)).toEqual({ per_second: 500, remaining_seconds: 15 });
  expect(rateOf(0, 10, 5_000)).toEqual({ per_second: 0, remaining_seconds: null });
});

test('more rows than estimated leave the remaining time unknown', () => {
  expect(rateOf(30, 10, 1_000).remaining_seconds).toBeNull();
});

test('a pipe gets a JSON line when more than the rate has changed, and log lines for events', async () => {
  const written = await stderrOf((progress) => {
    const { onStart, onState, onProgress, onNote } = showReindex(progress);
    onStart('events', 'events-1', 3);
    for (const state of ['created', 'created', 'loading'] as const) onState('events', state);
    onProgress('events', { rows: 3, deadLetters: 1, bytes: 100 });
    onState('events', 'loading');
    onState('events', 'loading');
    onNote('events', 'a note');
    onState('events', 'live');
  });
  expect(jsonLines(written)).toEqual([
    expect.objectContaining({ msg: 'building', kind: 'events', generation: 'events-1' }),
    expect.objectContaining({ event: 'progress', kind: 'events', phase: 'created', done: 0, total: 3 }),
    expect.objectContaining({ phase: 'loading', done: 0 }),
    expect.objectContaining({ phase: 'loading', done: 3, dead_letters: 1 }),
    expect.objectContaining({ msg: 'a note', kind: 'events' }),
    expect.objectContaining({ phase: 'live', done: 3, dead_letters: 1 }),
  ]);
});

test('a terminal gets sentences', async () => {
  const written = await stderrOf((progress) => {
    progress.report('info', 'documents were rejected', { kind: 'people', generation: 'people-1', dead_letters: 3 });
    progress.report('info', 'trying again', { generation: undefined, problem: 'no answer' });
  }, true);
  expect(written).toContain('people-1: documents were rejected (dead letters 3)\n');
  expect(written).toContain('trying again: no answer\n');
});
