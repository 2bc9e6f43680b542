type Cell = string | number | boolean | null;

/** Characters with which a spreadsheet's formula begins. */
const formulaStart = /^[=+\-@\t\r]/;
const quoted = /[",\r\n]/;

/**
 * One line of RFC 4180, with its end. A text that a spreadsheet would calculate gets an apostrophe before it, so that
 * it is shown as it is.
 */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = formulaStart.test(cell) ? `'${cell}` : cell;
  return quoted.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
