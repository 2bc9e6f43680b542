import {
  callsByDay,
  chartHeight,
  dayWidth,
  refusals,
  scaleLines,
  stackedBars,
} from '../../../console/client/account/usage/calls-by-day.ts';

const nowMs = Date.UTC(2026, 2, 2, 0, 30);
const counts = [
  { day: '2026-03-01', endpoint: 'search', outcome: 'answered', calls: 7 },
  { day: '2026-03-01', endpoint: 'search', outcome: 'rate_limited', calls: 2 },
  { day: '2026-03-01', endpoint: 'bulk', outcome: 'answered', calls: 30 },
  { day: '2026-02-28', endpoint: 'search', outcome: 'quota_exceeded', calls: 5 },
  { day: '2026-01-01', endpoint: 'suggest', outcome: 'answered', calls: 99 },
];

describe('calls by day', () => {
  const { days, endpoints, total } = callsByDay(counts, 7, nowMs);

  test('no day is missing, and the last is today in UTC', () => {
    expect(days.map(({ day }) => day)).toEqual([
      '2026-02-24',
      '2026-02-25',
      '2026-02-26',
      '2026-02-27',
      '2026-02-28',
      '2026-03-01',
      '2026-03-02',
    ]);
  });

  test('endpoints are sorted by calls, and each day lists them in this order', () => {
    expect(endpoints).toEqual([
      { name: 'bulk', calls: 30 },
      { name: 'search', calls: 14 },
    ]);
    expect(days[5]).toEqual({ day: '2026-03-01', total: 39, byEndpoint: [30, 9] });
    expect(days[6]).toEqual({ day: '2026-03-02', total: 0, byEndpoint: [0, 0] });
    expect(total).toBe(44);
  });

  test('without calls, all days are still listed', () => {
    expect(callsByDay([], 30, nowMs)).toMatchObject({ endpoints: [], total: 0, days: { length: 30 } });
  });

  test('refusals are sorted by code', () => {
    expect(refusals(counts)).toEqual([
      ['quota_exceeded', 5],
      ['rate_limited', 2],
    ]);
  });
});

describe('the scale', () => {
  test.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [7, [0, 2, 4, 6, 8]],
    [39, [0, 10, 20, 30, 40]],
    [1_234, [0, 500, 1_000, 1_500]],
    [1_000_000, [0, 500_000, 1_000_000]],
  ])('up to %d has lines at %j', (max, lines) => {
    expect(scaleLines(max)).toEqual(lines);
  });

  test('of any maximum has few lines, evenly spaced, and includes the maximum', () => {
    for (let max = 0; max < 30_000; max += 1 + Math.floor(max / 7)) {
      const lines = scaleLines(max);
      const top = lines.at(-1) ?? 0;
      expect(lines.length).toBeLessThanOrEqual(5);
      expect(top).toBeGreaterThanOrEqual(max);
      expect(lines.every((line, i) => line === (i * top) / (lines.length - 1) && Number.isInteger(line))).toBe(true);
    }
  });
});

describe('the bars', () => {
  const { days } = callsByDay(counts, 7, nowMs);
  const bars = stackedBars(days, 40);

  test('stack upwards from the zero line', () => {
    expect(bars[5]).toEqual([
      { series: 0, x: 51, y: 50, width: dayWidth - 2, height: 150 },
      { series: 1, x: 51, y: 5, width: dayWidth - 2, height: 45 },
    ]);
  });

  test('are left out for days without calls', () => {
    expect(bars[6]).toEqual([]);
  });

  test('are visible however small, and never exceed the chart', () => {
    const [small = []] = stackedBars([{ day: '2026-03-01', total: 1, byEndpoint: [1_000_000, 1] }], 1_000_000);
    expect(small.map(({ y }) => y)).toEqual([0, 0]);
    expect(small[1]?.height).toBeGreaterThan(0);
    const [single] = stackedBars([{ day: '2026-03-01', total: 1, byEndpoint: [1] }], 1_000_000);
    expect(single?.[0]).toMatchObject({ height: 2, y: chartHeight - 2 });
  });
});
