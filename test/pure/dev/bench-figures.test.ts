import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { figureOf, type Measured, sentenceOf } from '../../../dev/bench/figures.ts';
import { checkPage, NoReportError, reportOf, writeReport } from '../../../dev/bench/report.ts';

const machine = { versions: { node: '24' }, cores: 2, loadAverage: 0.1 };

function measured(change: Partial<Measured> = {}): Measured {
  return {
    bench: 'reindex',
    unit: 'documents/s',
    rows: 1_000,
    subject: [90, 80, 100],
    floor: [100, 100, 200],
    sides: { subject: 'ours', floor: 'theirs' },
    better: 'higher',
    goals: [{ of: 'ratio', atLeast: 0.8 }],
    rssMaxMb: 100,
    cpuSeconds: 1,
    ...change,
  };
}

test('ratios are taken round by round, not from the medians', () => {
  const { subject, floor, ratio, difference, met } = figureOf(measured(), machine);
  expect({ subject, floor, ratio }).toEqual({ subject: 90, floor: 100, ratio: { median: 0.8, min: 0.5, max: 0.9 } });
  expect(difference).toEqual({ median: -20, min: -100, max: -10 });
  expect(met).toBe(true);
  expect(() => figureOf(measured({ floor: [1] }), machine)).toThrow('3 rounds against 1');
});

test('a figure without a floor has no ratio, one without a goal is neither met nor missed, and two goals are both to be met', () => {
  const alone = figureOf(measured({ floor: null, goals: [] }), machine);
  expect([alone.floor, alone.ratio, alone.met]).toEqual([null, null, null]);
  const goals = [
    { of: 'ratio', atMost: 1.1 },
    { of: 'subject', atMost: 89 },
  ] as const;
  expect(figureOf(measured({ goals }), machine).met).toBe(false);
  expect(sentenceOf(figureOf(measured({ goals }), machine))).toContain('goal ratio ≤ 1.1 and subject ≤ 89: NOT met');
});

describe('the report', () => {
  const grown = [10_000, 100_000].map((rows) => ({
    ...figureOf(measured({ bench: 'growth', rows, floor: null, goals: [] }), machine),
    details: { indexBytesPerRow: 4 },
  }));

  test('has the costs, all figures and their goals in tables', () => {
    const page = reportOf([...grown, figureOf(measured(), machine)], 'abc1234');
    expect(page).toContain('Measured at commit abc1234 with node 24, on 2 cores.');
    expect(page).toContain('| a document: loaded and indexed (`reindex`) | 11,110 µs |');
    expect(page).toContain('| a document: bytes of one copy of the index | 4 bytes |');
    expect(page).toContain('| `reindex` | 90 documents/s | 100 | 0.8 (0.5 to 0.9) | ratio ≥ 0.8: met | 1,000 |');
  });

  test('replaces the marked part of a page, and refuses a page without marks', () => {
    const folder = mkdtempSync(join(tmpdir(), 'bench-report-'));
    const page = join(folder, 'performance.md');
    try {
      writeFileSync(page, '# Performance\n');
      expect(() => checkPage(page)).toThrow(NoReportError);
      writeFileSync(
        page,
        'before\n<!-- written by npm run bench -->\nold\n<!-- end of what npm run bench wrote -->\nafter\n',
      );
      checkPage(page);
      writeReport(page, [figureOf(measured(), machine)], 'abc1234');
      expect(readFileSync(page, 'utf8')).toMatch(
        /^before\n<!-- .* -->\n\nMeasured at [\s\S]*<!-- end .* -->\nafter\n$/,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
