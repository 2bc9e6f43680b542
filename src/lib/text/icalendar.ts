import { dayMs } from '../durations.ts';

/** An entry that takes whole days. Days are such as `2026-03-01`. */
export interface CalendarEntry {
  /** The same in every calendar with this entry, and different from all others. */
  readonly uid: string;
  readonly title: string;
  readonly first: string;
  /** The last day; null if it is the first. */
  readonly last: string | null;
  /** Empty if there is none, as the other texts. */
  readonly place: string;
  readonly text: string;
  readonly url: string;
}

/**
 * Formats entries as a calendar file (RFC 5545).
 * @param nowMs the time of the file
 */
export function calendarFile(entries: readonly CalendarEntry[], nowMs: number): string {
  const lines = entries.flatMap(({ uid, title, first, last, place, text, url }) => [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `DTSTAMP:${new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, '')}`,
    `DTSTART;VALUE=DATE:${dateOf(Date.parse(first))}`,
    // The end is the day after the last one.
    `DTEND;VALUE=DATE:${dateOf(Math.max(Date.parse(first), Date.parse(last ?? first)) + dayMs)}`,
    `SUMMARY:${escaped(title)}`,
    ...Object.entries({ LOCATION: escaped(place), DESCRIPTION: escaped(text), URL: url })
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `${name}:${value}`),
    'END:VEVENT',
  ]);
  const file = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Entity Search//EN', ...lines, 'END:VCALENDAR'];
  return file.map(folded).join('');
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10).replaceAll('-', '');
}

function escaped(text: string): string {
  return text
    .replace(/[\\;,]/g, String.raw`\$&`)
    .replace(/\r\n?|\n/g, String.raw`\n`)
    .replace(/\p{Cc}/gu, ' ');
}

const lineBytesMax = 75;

/** Ends a line, and folds it if it is too long for the format. */
function folded(line: string): string {
  let text = '';
  let bytes = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (bytes + size > lineBytesMax) {
      text += '\r\n ';
      bytes = 1;
    }
    text += character;
    bytes += size;
  }
  return `${text}\r\n`;
}
