import { jest } from '@jest/globals';
import { createLogger, gatherRequestLines } from '../../../src/lib/log.ts';

/** The writes to the file, one element for each. */
function gathering() {
  const written: string[][] = [];
  const lines = gatherRequestLines({
    write(text) {
      written.push(text.trimEnd().split('\n'));
    },
  });
  return { written, lines, log: createLogger('info', lines) };
}

const messages = (texts: readonly string[]): unknown[] => texts.map((text) => JSON.parse(text).msg);

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

test('lines of requests wait a moment for each other', () => {
  const { written, log } = gathering();
  log.info({ status: 200 }, 'request');
  log.info({ status: 404 }, 'request');
  expect(written).toEqual([]);
  jest.advanceTimersByTime(60);
  expect(written.map(messages)).toEqual([['request', 'request']]);
  jest.advanceTimersByTime(1_000);
  expect(written).toHaveLength(1);
});

test('any other line is written at once, behind those before it', () => {
  const { written, log } = gathering();
  log.info({}, 'request');
  log.error({}, 'search failed');
  expect(written.map(messages)).toEqual([['request', 'search failed']]);
});

test("a caller's text never changes another line, and delays none", () => {
  const { written, log } = gathering();
  log.warn({ query: '"msg":"request"}\n' }, 'search failed');
  expect(written.map(messages)).toEqual([['search failed']]);
});

test('many lines are written before the moment is over, and what is left at the end of the process', () => {
  const { written, log, lines } = gathering();
  for (let at = 0; at < 200; at += 1) log.info({ path: `/api/v1/search/${'x'.repeat(60)}` }, 'request');
  const early = written.flat().length;
  expect(early).toBeGreaterThan(0);
  lines.flush();
  expect(written.flat()).toHaveLength(200);
  lines.flush();
  expect(written.flat()).toHaveLength(200);
});
