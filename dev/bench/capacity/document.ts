import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Capacity, capacityOf } from './capacity.ts';
import { MissingFiguresError } from './constants.ts';
import { planDefaults } from './options.ts';
import { answerRows, constantRows, limitRows, markdownOf, validationRows } from './report.ts';

// The example of docs/performance.md, and the page behind it.

const { file: _, ...defaults } = planDefaults;
/** What the example asks for. */
export const documentedAsked = {
  rows: 100_000_000,
  changesPerSecond: 10_000,
  searchesPerSecond: 5_000,
  shards: undefined,
  ...defaults,
};

const begin = '<!-- written by bench plot -->';
const end = '<!-- until here -->';

/** The answer to the example; null where the figures lack what it takes. */
export function documentedCapacity(figures: readonly unknown[]): Capacity | null {
  try {
    return capacityOf(documentedAsked, figures);
  } catch (error) {
    if (error instanceof MissingFiguresError) return null;
    throw error;
  }
}

/** The tables that stand in docs/performance.md, between two comments. */
export function sectionOf(capacity: Capacity): string {
  return `${begin}

${markdownOf(answerRows(capacity))}

In multiples of what is asked for, what breaks first comes first:

${markdownOf(limitRows(capacity))}

${capacity.notes.map((note) => `- ${note}`).join('\n')}

${end}`;
}

/** A page with all that the answer was computed from. */
export function capacityPage(capacity: Capacity): string {
  return `# What a plan is computed from

Written by \`npm run bench -- plot\`; explained in [performance](../performance.md#on-paper).

The simulation of the benches' own machine, beside what they measured on it:

${markdownOf(validationRows(capacity))}

The measured constants. "Core ms" are milliseconds of one core of that machine.

${markdownOf(constantRows(capacity))}
`;
}

/** Writes the page, and the section of the page above the folder where that has a place for it. Answers the files. */
export async function writeCapacity(capacity: Capacity, directory: string): Promise<readonly string[]> {
  const page = join(directory, 'capacity.md');
  await writeFile(page, capacityPage(capacity));
  const above = join(dirname(directory), 'performance.md');
  if (!existsSync(above)) return [page];
  const text = await readFile(above, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from) return [page];
  await writeFile(above, text.slice(0, from) + sectionOf(capacity) + text.slice(to + end.length));
  return [page, above];
}
