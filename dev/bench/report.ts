import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { type Figure, goalText } from './figures.ts';

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

/** Replaces what is between the marks of a page. */
export function writeReport(page: string, figures: readonly Figure[], commit: string): void {
  const text = readFileSync(page, 'utf8');
  const [before = '', rest = ''] = text.split(begin);
  const [, after = ''] = rest.split(end);
  writeFileSync(page, `${before}${begin}\n\n${reportOf(figures, commit)}\n\n${end}${after}`);
}

export function reportOf(figures: readonly Figure[], commit: string): string {
  const machines = [...new Set(figures.map(machineText))].join('; ');
  const rows = figures.map(
    (figure) =>
      `| ${nameOf(figure)} | ${shown(figure.subject)} ${figure.unit} | ${figure.floor === null ? '–' : shown(figure.floor)} | ${ratioText(figure)} | ${verdictOf(figure)} | ${shown(figure.rows)} |`,
  );
  return [
    `Measured at commit ${commit} with ${machines}.`,
    `| cost | measured |\n| --- | --- |\n${costsOf(figures).join('\n')}`,
    `| figure | measured | floor | ratio, median (min to max) | goal | companies |\n| --- | --- | --- | --- | --- | --- |\n${rows.join('\n')}`,
  ].join('\n\n');
}

const searchDetails = z.object({ cpuMsPerSearch: z.number() });
const growthDetails = z.object({ indexBytesPerRow: z.number() });

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

function verdictOf({ goals, met }: Figure): string {
  const verdict = met === null ? 'not judged' : met ? 'met' : 'not met';
  return goals.length === 0 ? '–' : `${goals.map(goalText).join(', ')}: ${verdict}`;
}

function shown(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 4 });
}
