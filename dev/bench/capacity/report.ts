import type { Capacity } from './capacity.ts';
import { busyAtMost, readersOfProgram } from './plan.ts';

// An answer as rows of text, for terminals and pages.

export type Row = readonly string[];

/** A table; the first row is its head. */
export type Rows = readonly [Row, ...Row[]];

export function answerRows(capacity: Capacity): Rows {
  return [['what', 'needed', 'because'], ...searchRows(capacity), ...changeRows(capacity), ...rebuildRows(capacity)];
}

function searchRows({ asked, plan, sizes, outcome, duringLoad, constants }: Capacity): readonly Row[] {
  const { layout } = plan;
  const waits = ({ searchMs }: Capacity['outcome']) =>
    searchMs === null ? '–' : `${whole(searchMs.p50)} ms, ${whole(searchMs.p95)} ms`;
  return [
    [
      'machines for Elasticsearch',
      `${whole(layout.machines)} of ${asked.cores} cores`,
      `${percent(layout.busy)} busy; ${percent(busyAtMost)} at most`,
    ],
    [
      'shards',
      `${whole(layout.shards)} of ${bytes(sizes.index / layout.shards)}`,
      `ELASTICSEARCH_SHARDS=${layout.shards}`,
    ],
    ['copies of each', whole(layout.copies), `ELASTICSEARCH_REPLICAS=${layout.copies - 1}`],
    ['index size', bytes(sizes.index), `one copy, ${whole(constants.indexBytes.value)} bytes a row`],
    [
      'memory of each',
      `${bytes(sizes.searchedOnMachine)} and the heap`,
      'the searched shards on it, in the page cache',
    ],
    ['disk', `${bytes(sizes.disk)} in all`, `live, ${asked.kept} kept, one built, half a one for merges`],
    [
      'API processes',
      whole(plan.apiProcesses),
      `${constants.apiMs.value.toFixed(2)} ms of a core a search; ${whole(constants.apiMb.value)} MB each`,
    ],
    ['a search: p50, p95', waits(outcome), 'simulated'],
    ['the same during a load', waits(duringLoad), 'simulated'],
  ];
}

function changeRows({ plan, sizes, outcome, withOneReader, constants }: Capacity): readonly Row[] {
  const found = (seconds: number | null): string =>
    seconds === null ? '–' : `${(seconds + constants.foundSeconds.value).toFixed(1)} s`;
  return [
    [
      'readers (parts of sync)',
      plan.readers <= readersOfProgram
        ? `${plan.readers}`
        : `${plan.readers}, and there are ${readersOfProgram} at most`,
      `${plan.readers > 1 ? `SYNC_PARTS=${plan.readers}, as many processes; ` : ''}one would be ${percent(plan.oneReaderBusy)} busy; ${whole(constants.syncMb.value)} MB each`,
    ],
    ['commit to found: p99', found(outcome.lagSeconds), 'simulated, and the wait for a refresh'],
    ...(withOneReader === null
      ? []
      : [['the same with one reader', found(withOneReader.lagSeconds), 'simulated, after a minute'] as const]),
    ['Postgres', `one primary of ${whole(plan.postgresCores)} cores`, 'commits, the log, and documents read'],
    ['connections to Postgres', whole(sizes.connections), 'at most, of all processes; max_connections is to be larger'],
    [
      'growth of the change log',
      `${bytes(sizes.logPerSecond)} a second`,
      `${count(sizes.logEntries)} entries kept, ${count(sizes.logEntriesInRebuild)} at the end of a rebuild`,
    ],
  ];
}

function rebuildRows({ rebuild, duringLoad, caughtUpPerSecond, constants }: Capacity): readonly Row[] {
  const { loadHours, mergeHours, catchUpHours, verifyHours, copyHours } = rebuild;
  return [
    [
      'a rebuild',
      rebuild.hours === null ? 'never ends' : hours(rebuild.hours),
      `one loader, ${whole(constants.reindexMb.value)} MB; the sum of the next`,
    ],
    ['load', hours(loadHours), `${whole(duringLoad.rebuiltPerSecond)} rows a second, simulated`],
    ['merge', hours(mergeHours), 'every shard by itself'],
    [
      'catch up',
      catchUpHours === null ? 'never: changes arrive faster' : hours(catchUpHours),
      `${whole(caughtUpPerSecond)} changes a second, simulated`,
    ],
    ['compare', hours(verifyHours), `${whole(1_000 / constants.verifyMs.value)} rows a second`],
    [
      'copies',
      `${hours(copyHours)} from the first`,
      "at Elasticsearch's default of 40 MB a second; a swap waits 10 minutes",
    ],
  ];
}

/** What breaks first is the first. */
export function limitRows({ limits }: Capacity): Rows {
  return [
    ['limit', 'bears', 'what helps'],
    ...limits.map(({ what, times, help }): Row => [what, `${times < 10 ? times.toFixed(2) : whole(times)} ×`, help]),
  ];
}

export function validationRows({ validations }: Capacity): Rows {
  return [
    ['figure', 'measured', 'simulated', 'error'],
    ...validations.map(
      ({ what, unit, measured, simulated, error }): Row => [
        what,
        `${digits(measured)} ${unit}`,
        digits(simulated),
        `${error < 0 ? '−' : '+'}${Math.abs(error * 100).toFixed(0)} %`,
      ],
    ),
  ];
}

export function constantRows({ constants }: Capacity): Rows {
  return [
    ['constant', 'value', 'of', 'measured by'],
    ...Object.values(constants).map(({ value, unit, what, from }): Row => [what, digits(value), unit, from]),
  ];
}

/** A table of a page. */
export function markdownOf([head, ...rows]: Rows): string {
  const line = (cells: Row): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A table of a terminal. */
export function textOf(rows: Rows): string {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Everything for a person at a terminal. */
export function pageOf(capacity: Capacity): string {
  const { asked, notes } = capacity;
  return `${askedText(capacity)}, kept indices ${asked.kept}, on machines of ${asked.cores} cores and ${asked.memoryGb} GB:

${textOf(answerRows(capacity))}

What breaks first, in multiples of what was asked for:

${textOf(limitRows(capacity))}

${notes.join('\n')}

Validated against the same figures:

${textOf(validationRows(capacity))}

Computed from:

${textOf(constantRows(capacity))}
`;
}

export function askedText({ asked }: Capacity): string {
  return `${whole(asked.rows)} rows, ${whole(asked.changesPerSecond)} changes/s, ${whole(asked.searchesPerSecond)} searches/s`;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function digits(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 4 });
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function hours(value: number): string {
  if (value * 60 < 1) return 'less than a minute';
  return value < 1 ? `${Math.round(value * 60)} min` : `${value.toFixed(1)} h`;
}

function count(value: number): string {
  return value < 1e6 ? whole(value) : `${digits(Number((value / 1e6).toPrecision(2)))} million`;
}

function bytes(value: number): string {
  for (const [size, unit] of [
    [1e12, 'TB'],
    [1e9, 'GB'],
    [1e6, 'MB'],
    [1e3, 'kB'],
  ] as const) {
    if (value >= size) return `${(value / size).toPrecision(3)} ${unit}`;
  }
  return `${whole(value)} bytes`;
}
