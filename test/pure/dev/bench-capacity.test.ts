import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { planCapacity } from '../../../dev/bench/capacity/answer.ts';
import { capacityOf } from '../../../dev/bench/capacity/capacity.ts';
import { constantsOf, linesOf, MissingFiguresError, quantileAt } from '../../../dev/bench/capacity/constants.ts';
import { documentedAsked } from '../../../dev/bench/capacity/document.ts';
import { Clock, Servers } from '../../../dev/bench/capacity/events.ts';
import { type Asked, NoPlanError, planFor } from '../../../dev/bench/capacity/plan.ts';
import { pageOf } from '../../../dev/bench/capacity/report.ts';
import { simulate } from '../../../dev/bench/capacity/simulate.ts';
import { errorAtMost, validationsOf } from '../../../dev/bench/capacity/validate.ts';
import { parseLines } from '../../../dev/bench/compare.ts';
import { plotFigures } from '../../../dev/bench/plot.ts';
import { random } from '../../../dev/sample/random.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const documents = join(root, 'docs');
const figuresFile = join(documents, 'performance', 'figures.ndjson');
const figures = parseLines(await readFile(figuresFile, 'utf8'));
const lines = linesOf(figures);
const constants = constantsOf(lines);
const small: Asked = { ...documentedAsked, rows: 5_000_000, changesPerSecond: 500, searchesPerSecond: 300 };

test('the simulation of the benches own machine predicts what they measured, as exactly as is said', async () => {
  const validations = validationsOf(lines);
  expect(validations.length).toBeGreaterThan(5);
  for (const { what, error } of validations) {
    expect({ what, error, isNear: Math.abs(error) <= errorAtMost }).toEqual({ what, error, isNear: true });
  }
  expect(await readFile(join(documents, 'performance.md'), 'utf8')).toContain(`within ${errorAtMost * 100} %`);
});

test('the documented numbers and picture are those that the simulation gives', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'entity-search-capacity-'));
  try {
    const text = await readFile(join(documents, 'performance.md'), 'utf8');
    const emptied = text.replace(/(<!-- written by bench plot -->)[\s\S]*(<!-- until here -->)/, '$1$2');
    expect(emptied.length).toBeLessThan(text.length - 1_000);
    await mkdir(join(folder, 'performance'));
    await writeFile(join(folder, 'performance.md'), emptied);
    await plotFigures(figuresFile, join(folder, 'performance'));
    for (const file of ['performance.md', 'performance/capacity.md', 'performance/capacity.svg']) {
      expect(await readFile(join(folder, file), 'utf8')).toBe(await readFile(join(documents, file), 'utf8'));
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** Mean time in a queue of one server, where arrivals and services are exponential. */
function meanStay(arrivalsPerMs: number, serviceMs: number): number {
  const clock = new Clock();
  const servers = new Servers(clock, 1);
  const draw = random('queue');
  const exponential = (mean: number) => -Math.log(1 - draw.next()) * mean;
  const stays: number[] = [];
  const arrive = (): void => {
    const cameMs = clock.nowMs;
    servers.use(exponential(serviceMs), () => stays.push(clock.nowMs - cameMs));
    clock.after(exponential(1 / arrivalsPerMs), arrive);
  };
  arrive();
  clock.runUntil(400_000);
  return stays.reduce((sum, stay) => sum + stay, 0) / stays.length;
}

test.each([0.3, 0.5, 0.8])('a queue at %d of its capacity waits as long as queueing theory says', (load) => {
  expect(meanStay(load, 1) / (1 / (1 - load))).toBeCloseTo(1, 1);
});

test('events happen in the order of their times, and of the same moment in the order in which they were planned', () => {
  const clock = new Clock();
  const draw = random('events');
  const planned = Array.from({ length: 500 }, (_, serial) => ({ atMs: draw.int(0, 50), serial }));
  const happened: (typeof planned)[number][] = [];
  for (const event of planned) clock.after(event.atMs, () => happened.push(event));
  clock.runUntil(100);
  expect(happened).toEqual([...planned].sort((one, other) => one.atMs - other.atMs || one.serial - other.serial));
});

test('a quantile between two known ones lies between their values', () => {
  expect([0, 0.25, 0.5, 0.75, 1].map((share) => quantileAt([0.25, 0.75], [10, 20], share))).toEqual([
    10, 10, 15, 20, 20,
  ]);
});

test('the same seed gives the same answer, another one another', () => {
  const again = (seed: number) => capacityOf({ ...small, seed }, figures);
  expect(again(1)).toEqual(again(1));
  expect(again(2).outcome.searchMs).not.toEqual(again(1).outcome.searchMs);
});

test.each(['rows', 'changesPerSecond', 'searchesPerSecond'] as const)('four times the %s never need less', (of) => {
  const machines = (times: number) => planFor({ ...small, [of]: small[of] * times }, lines, constants);
  const [one, four] = [machines(1), machines(4)];
  for (const what of ['apiProcesses', 'readers', 'postgresCores'] as const) {
    expect(four[what]).toBeGreaterThanOrEqual(one[what]);
  }
  expect(four.layout.machines).toBeGreaterThanOrEqual(one.layout.machines);
});

test('what is asked for is followed by as many readers as planned, and not by one where that is too few', () => {
  const asked = { ...documentedAsked, changesPerSecond: 20_000, searchesPerSecond: 0 };
  const plan = planFor(asked, lines, constants);
  expect(plan.oneReaderBusy).toBeGreaterThan(1);
  const lag = (readers: number) =>
    simulate(plan, lines, constants, { share: 1, readers, rebuild: 'none', searching: false }).lagSeconds;
  expect(lag(plan.readers)).toBeLessThan(2);
  expect(lag(1)).toBeGreaterThan(10);
});

test('where changes arrive faster than a reader applies them, a rebuild never ends, and it says so', () => {
  const capacity = capacityOf({ ...documentedAsked, changesPerSecond: 40_000, searchesPerSecond: 10 }, figures);
  expect(capacity.rebuild).toMatchObject({ catchUpHours: null, hours: null });
  expect(pageOf(capacity)).toContain('never ends');
  const { times } = capacity.limits.find(({ what }) => what.startsWith('catching up')) ?? {};
  expect(times).toBeLessThan(1);
});

test('limits are in the order in which they break', () => {
  const { limits } = capacityOf(small, figures);
  const times = limits.map((limit) => limit.times);
  expect(times).toEqual([...times].sort((one, other) => one - other));
  expect(limits.map(({ what }) => what)).toContainEqual(expect.stringContaining('one sync process'));
});

test('requests that are too few for the writes of large shards are a limit that a setting moves', () => {
  const asked = { ...documentedAsked, kept: 0, searchesPerSecond: 10 };
  const limit = (shards: number) =>
    capacityOf({ ...asked, shards }, figures).limits.find(({ what }) => what.includes('requests of one sync'));
  const [few, many] = [limit(3), limit(30)];
  expect(few?.remedy).toBe('setting');
  expect(many?.times).toBeCloseTo(10 * (few?.times ?? 0));
});

test('the answer is a page for people, or one line of JSON', async () => {
  const page = await planCapacity({ asked: small, file: figuresFile, json: false });
  expect(page).toContain('5,000,000 rows, 500 changes/s, 300 searches/s');
  const rows = page.split('\n');
  for (const { what, from } of Object.values(constants)) {
    expect(rows.filter((row) => row.startsWith(what) && row.endsWith(from))).toHaveLength(1);
  }
  const line = await planCapacity({ asked: small, file: figuresFile, json: true });
  expect(line.trimEnd()).not.toContain('\n');
  expect(JSON.parse(line)).toMatchObject({ asked: { rows: 5_000_000 }, plan: { layout: { copies: 2 } } });
});

test('what no cluster bears is refused with the options that may help', () => {
  const most = { ...documentedAsked, changesPerSecond: 100_000, searchesPerSecond: 100_000, cores: 2 };
  expect(() => capacityOf(most, figures)).toThrow(NoPlanError);
  expect(() => capacityOf({ ...most, shards: 2 }, figures)).toThrow('Leave out --shards');
  expect(() => capacityOf({ ...small, p95Ms: 1 }, figures)).toThrow('more time (--p95)');
});

test('figures that lack a bench are refused with its name', () => {
  const without = (bench: string) =>
    figures.filter((line) => typeof line !== 'object' || line === null || !('bench' in line) || line.bench !== bench);
  for (const bench of ['search', 'search-latency', 'growth', 'sync', 'writers']) {
    expect(() => capacityOf(small, without(bench))).toThrow(MissingFiguresError);
    expect(() => capacityOf(small, without(bench))).toThrow(`no line of the bench ${bench} `);
  }
});
