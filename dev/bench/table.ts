import { z } from 'zod';

const spread = z.object({ median: z.number(), min: z.number(), max: z.number() });
const figure = z.object({
  bench: z.string(),
  figure: z.string().optional(),
  unit: z.string(),
  rows: z.number(),
  subject: z.number(),
  floor: z.number().nullable(),
  ratio: spread.nullable(),
  difference: spread.nullable(),
  goals: z.array(z.object({ of: z.string(), atLeast: z.number().optional(), atMost: z.number().optional() })),
  met: z.boolean().nullable(),
  rssMaxMb: z.number().nullable(),
  sides: z.object({ subject: z.string(), floor: z.string().nullable() }),
  versions: z.record(z.string(), z.string()),
  cores: z.number(),
  loadAverage: z.number(),
});
type Row = z.infer<typeof figure>;

/** A page with the figures among some JSON lines; other lines are left out. */
export function tableOf(lines: readonly unknown[]): string {
  const rows = lines.flatMap((one) => figure.safeParse(one).data ?? []);
  const machines = new Set(rows.map(({ versions, cores }) => machineText(versions, cores)));
  return `# Figures

Written by \`npm run bench -- plot\`; explained in [performance](../performance.md).

${[...machines].map((one) => `Measured with ${one}.`).join('\n')}
"Load" is the load average at the start of the bench. Above half the cores, other work was running.

| figure | measured | floor | ratio, median (min to max) | goal | met | companies | peak MB | load |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
${rows.map(lineOf).join('\n')}

What is compared:

| figure | measured | floor |
| --- | --- | --- |
${rows.map((row) => `| ${nameOf(row)} | ${row.sides.subject} | ${row.sides.floor ?? '–'} |`).join('\n')}
`;
}

function machineText(versions: Row['versions'], cores: number): string {
  const list = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `${list.join(', ')}, on ${cores} ${cores === 1 ? 'core' : 'cores'}`;
}

function nameOf({ bench, figure: which }: Row): string {
  return which === undefined ? `\`${bench}\`` : `\`${bench}\` ${which}`;
}

function lineOf(row: Row): string {
  const { subject, unit, floor, ratio, difference, goals, met, rows, rssMaxMb, loadAverage } = row;
  const goal = goals.map(
    ({ of, atLeast, atMost }) => `${of} ${atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`}`,
  );
  const less = goals.some(({ of }) => of === 'difference') ? `; difference ${difference?.median}` : '';
  const cells = [
    nameOf(row),
    `${shown(subject)} ${unit}`,
    floor === null ? '–' : shown(floor),
    ratio === null ? '–' : `${ratio.median} (${ratio.min} to ${ratio.max})${less}`,
    goal.join(', ') || '–',
    met === null ? '–' : met ? 'yes' : 'no',
    shown(rows),
    rssMaxMb === null ? '–' : shown(Math.round(rssMaxMb)),
    String(loadAverage),
  ];
  return `| ${cells.join(' | ')} |`;
}

function shown(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 4 });
}
