import type { Writable } from 'node:stream';
import { styleText } from 'node:util';

/** An output stream, and whether it is a terminal. */
export type Screen = Writable & { readonly isTTY?: boolean };

/** The output of a command: results to stdout, everything for people to stderr. */
export interface Terminal {
  readonly stdout: Screen;
  readonly stderr: Screen;
  say(line: string): void;
  warn(line: string): void;
  fail(text: string): void;
  /** Results are printed as JSON: by `--json`, or because stdout isn't a terminal. */
  readonly wantsJson: boolean;
  useJson(): void;
  printJson(value: unknown): void;
  /** Prints a list as a table, or as one line of JSON; on a terminal `empty` for an empty list. */
  printRows(rows: readonly object[], empty: string): void;
  /** Prints a list as a table, or as a line of JSON for each row. */
  printEach(rows: readonly object[]): void;
  /** Prints one result as `key  value` lines, or as one line of JSON. */
  printResult(row: object): void;
}

export function createTerminal(stdout: Screen, stderr: Screen): Terminal {
  const say = (text: string): void => void stderr.write(`${text}\n`);
  const print = (text: string): void => void stdout.write(`${text}\n`);
  const printJson = (value: unknown): void => print(JSON.stringify(value));
  const coloured = (format: Parameters<typeof styleText>[0], text: string): string =>
    stderr.isTTY ? styleText(format, text, { stream: stderr }) : text;
  let wantsJson = !stdout.isTTY;
  return {
    stdout,
    stderr,
    say,
    warn: (text) => say(coloured('yellow', text)),
    fail: (text) => say(`${coloured('red', 'error:')} ${text}`),
    get wantsJson() {
      return wantsJson;
    },
    useJson() {
      wantsJson = true;
    },
    printJson,
    printRows(rows, empty) {
      if (wantsJson) printJson(rows);
      else if (rows.length === 0) say(empty);
      else print(table(rows));
    },
    printEach(rows) {
      if (wantsJson) for (const row of rows) printJson(row);
      else if (rows.length > 0) print(table(rows));
    },
    printResult(row) {
      if (wantsJson) printJson(row);
      else print(pairs(row));
    },
  };
}

function table(rows: readonly object[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const cellsOf = (row: object): readonly string[] => {
    const values = new Map<string, unknown>(Object.entries(row));
    return columns.map((column) => cell(values.get(column)));
  };
  const cells = [columns, ...rows.map(cellsOf)];
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

function pairs(row: object): string {
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
