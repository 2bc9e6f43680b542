import type { KindImport, LineProblem, StagedLine } from './kinds/kind-import.ts';
import type { RawLine } from './read-lines.ts';

const arrayAdvice = `is an array, not an object; put each object on a line of its own, for instance with: jq -c '.[]'`;

const severalLines = `begins a value of several lines; put each object on a line of its own, for instance with: jq -c .`;

/** Returns one line as database values; its problems; or null for a blank line. */
export function parseLine(
  kindImport: KindImport,
  line: RawLine,
  maxLineBytes: number,
): StagedLine | readonly LineProblem[] | null {
  if (line.tooLong) return [problem(tooLongMessage(line, maxLineBytes))];
  const text = decode(line.bytes);
  if (text === undefined) return [problem('is not valid UTF-8; convert the file, for instance with iconv')];
  if (text.trim() === '') return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (/^[[{]$/.test(text.trim())) return [problem(severalLines)];
    return [problem(`is not JSON: ${error instanceof Error ? error.message : String(error)}`)];
  }
  if (Array.isArray(value)) return [problem(arrayAdvice)];
  if (typeof value !== 'object' || value === null) return [problem('is not a JSON object')];
  return kindImport.parse(value);
}

function problem(message: string): LineProblem {
  return { path: '', message };
}

function tooLongMessage(line: RawLine, maxLineBytes: number): string {
  const message = `is longer than ${maxLineBytes} bytes`;
  return decode(line.bytes)?.trimStart().startsWith('[') ? `${message} and ${arrayAdvice}` : message;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
