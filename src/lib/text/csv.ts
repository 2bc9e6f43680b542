type Cell = string | number | boolean | null;

/** Characters with which a spreadsheet's formula begins. */
const formulaStart = /^[=+\-@\t\r]/;
const quoted = /[",\r\n]/;

/**
 * Formats one line of CSV (RFC 4180), with its line break. A text that a spreadsheet would evaluate as a formula is
 * prefixed with an apostrophe.
 */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = formulaStart.test(cell) ? `'${cell}` : cell;
  return quoted.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
