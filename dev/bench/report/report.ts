import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import { z } from 'zod';
import type { Figure } from '../figures.ts';
import { barChart, lineChart } from './svg.ts';

const begin = '<!-- written by npm run bench -->';
const end = '<!-- end of what npm run bench wrote -->';

export class NoReportError extends Error {
  override readonly name = 'NoReportError';
}

export function checkPage(page: string): void {
  const text = readFileSync(page, 'utf8');
  if (text.indexOf(begin) < 0 || text.indexOf(end) < text.indexOf(begin)) {
    throw new NoReportError(`${page} has no lines "${begin}" and "${end}": add them where the figures belong.`);
  }
}

/** Replaces what is between the marks of a page, and writes its charts and figures into the folder of the page's name. */
export function writeReport(page: string, figures: readonly Figure[], commit: string): readonly string[] {
  const name = parse(page).name;
  const folder = join(dirname(page), name);
  mkdirSync(folder, { recursive: true });
  const files = { ...chartsOf(figures), 'figures.ndjson': figures.map((one) => `${JSON.stringify(one)}\n`).join('') };
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content);
  const text = readFileSync(page, 'utf8');
  const [before = '', rest = ''] = text.split(begin);
  const [, after = ''] = rest.split(end);
  writeFileSync(page, `${before}${begin}\n\n${reportOf(figures, commit, name)}\n\n${end}${after}`);
  return [page, ...Object.keys(files).map((file) => join(folder, file))];
}

export function reportOf(figures: readonly Figure[], commit: string, folder: string): string {
  const machines = [...new Set(figures.map(machineText))].join('; ');
  const rows = figures.map(
    (figure) =>
      `| ${nameOf(figure)} | ${shown(figure.subject)} ${figure.unit} | ${figure.floor === null ? '–' : shown(figure.floor)} | ${ratioText(figure)} | ${goalText(figure)} | ${shown(figure.rows)} |`,
  );
  const pictures = Object.keys(chartsOf(figures)).map((file) => `![${altTexts[file]}](${folder}/${file})`);
  return [
    `Measured at commit ${commit} with ${machines}.`,
    `| cost | measured |\n| --- | --- |\n${costsOf(figures).join('\n')}`,
    `| figure | measured | floor | ratio, median (min to max) | goal | companies |\n| --- | --- | --- | --- | --- | --- |\n${rows.join('\n')}`,
    ...pictures,
  ].join('\n\n');
}

const altTexts: Readonly<Record<string, string>> = {
  'ratios.svg': 'Each figure as a multiple of its goal',
  'growth.svg': 'Milliseconds of a search, by the number of companies',
};

const searchDetails = z.object({ cpuMsPerSearch: z.number() });
const growthDetails = z.object({ p50Ms: z.number(), p95Ms: z.number(), indexBytesPerRow: z.number() });

function costsOf(figures: readonly Figure[]): readonly string[] {
  const of = (bench: string): Figure | undefined => figures.findLast((figure) => figure.bench === bench);
  const micros = (bench: string): string | undefined => {
    const figure = of(bench);
    return figure && `${shown(1e6 / figure.subject)} µs`;
  };
  const searches = of('search');
  const cpu = searchDetails.safeParse(searches?.details).data;
  const largest = growthDetails.safeParse(of('growth')?.details).data;
  const costs: readonly (readonly [string, string | undefined])[] = [
    ['a document: read and sent (`feeder`)', micros('feeder')],
    ['a document: loaded and indexed (`reindex`)', micros('reindex')],
    ['a document: compared (`verify`)', micros('verify')],
    ['a change: applied (`sync`)', micros('sync')],
    ['a search: all cores', searches && `${shown((searches.cores * 1_000) / searches.subject)} ms of CPU`],
    ['a search: of that, the API process', cpu && `${shown(cpu.cpuMsPerSearch)} ms of CPU`],
    ['a document: bytes of one copy of the index', largest && `${shown(largest.indexBytesPerRow)} bytes`],
  ];
  return costs.flatMap(([what, value]) => (value === undefined ? [] : [`| ${what} | ${value} |`]));
}

export function chartsOf(figures: readonly Figure[]): Readonly<Record<string, string>> {
  const bars = figures.flatMap((figure) => {
    const multiple = multipleOfGoal(figure);
    return multiple === undefined
      ? []
      : [{ label: nameOf(figure).replaceAll('`', ''), value: multiple, note: `${shown(multiple)} × goal` }];
  });
  const sizes = figures.flatMap((figure) => {
    const details = figure.bench === 'growth' ? growthDetails.safeParse(figure.details).data : undefined;
    return details === undefined ? [] : [{ rows: figure.rows, ...details }];
  });
  const curve = (name: string, of: 'p50Ms' | 'p95Ms') => ({
    name,
    points: sizes.map((size) => [size.rows, size[of]] as const),
  });
  return {
    ...(bars.length === 0 ? {} : { 'ratios.svg': barChart('Figures as multiples of their goals', bars) }),
    ...(sizes.length < 2
      ? {}
      : {
          'growth.svg': lineChart('A search, by the number of companies', 'milliseconds', [
            curve('half of the searches', 'p50Ms'),
            curve('19 of 20 searches', 'p95Ms'),
          ]),
        }),
  };
}

/** Above 1 where the first goal is met; at most 3, because sizes of growth are far within theirs. */
function multipleOfGoal({ goals: [goal], ratio, difference, subject }: Figure): number | undefined {
  if (goal === undefined) return undefined;
  const value = { ratio: ratio?.median, difference: difference?.median, subject }[goal.of];
  if (value === undefined) return undefined;
  return Math.min(3, goal.atLeast === undefined ? (goal.atMost ?? 0) / value : value / goal.atLeast);
}

function nameOf({ bench, figure }: Figure): string {
  return figure === undefined ? `\`${bench}\`` : `\`${bench}\` ${figure}`;
}

function machineText({ versions, cores }: Figure): string {
  const list = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `${list.join(', ')}, on ${cores} ${cores === 1 ? 'core' : 'cores'}`;
}

function ratioText({ ratio, difference, goals }: Figure): string {
  if (ratio === null) return '–';
  const less = goals.some(({ of }) => of === 'difference') ? `; difference ${difference?.median}` : '';
  return `${ratio.median} (${ratio.min} to ${ratio.max})${less}`;
}

function goalText({ goals, met }: Figure): string {
  if (met === null) return '–';
  const each = goals.map(
    ({ of, atLeast, atMost }) => `${of} ${atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`}`,
  );
  return `${each.join(', ')}: ${met ? 'met' : 'not met'}`;
}

function shown(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 4 });
}
