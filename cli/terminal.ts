import type { Writable } from 'node:stream';
import { styleText } from 'node:util';

/** A stream to write to, and whether a person sits before it. */
export type Screen = Writable & { readonly isTTY?: boolean };

/** Where a command writes: results to stdout, everything for people to stderr. */
export interface Terminal {
  readonly stdout: Screen;
  readonly stderr: Screen;
  /** One line for people. */
  say(line: string): void;
  warn(line: string): void;
  fail(text: string): void;
  /** A list as a table on a terminal, else (or with `json`) as one line of JSON. */
  printRows(rows: readonly Row[], options: { readonly json: boolean; readonly empty: string }): void;
  /** One result: as `key  value` lines on a terminal, else (or with `json`) as one line of JSON. */
  printResult(row: Row, options: { readonly json: boolean }): void;
}

type Row = Readonly<Record<string, unknown>>;

export function createTerminal(stdout: Screen, stderr: Screen): Terminal {
  const line = (text: string): void => void stderr.write(`${text}\n`);
  const coloured = (format: Parameters<typeof styleText>[0], text: string): string =>
    stderr.isTTY ? styleText(format, text, { stream: stderr }) : text;
  const asJson = (options: { readonly json: boolean }): boolean => options.json || !stdout.isTTY;
  return {
    stdout,
    stderr,
    say: line,
    warn: (text) => line(coloured('yellow', text)),
    fail: (text) => line(`${coloured('red', 'error:')} ${text}`),
    printRows(rows, options) {
      if (asJson(options)) stdout.write(`${JSON.stringify(rows)}\n`);
      else if (rows.length === 0) line(options.empty);
      else stdout.write(`${table(rows)}\n`);
    },
    printResult(row, options) {
      if (asJson(options)) stdout.write(`${JSON.stringify(row)}\n`);
      else stdout.write(`${pairs(row)}\n`);
    },
  };
}

function table(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const cells = [columns, ...rows.map((row) => columns.map((column) => cell(row[column])))];
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((text, at) => text.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function pairs(row: Row): string {
  const width = Math.max(...Object.keys(row).map((key) => key.length));
  return Object.entries(row)
    .map(([key, value]) => `${key.padEnd(width)}  ${cell(value)}`)
    .join('\n');
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
