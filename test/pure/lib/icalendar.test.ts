import { calendarFile } from '../../../src/lib/text/icalendar.ts';

const entry = {
  uid: 'events-7@search.example',
  title: 'ETHAnywhere',
  first: '2026-02-27',
  last: '2026-02-28',
  place: 'Hall 1, Lisbon',
  text: 'Talks; workshops\nand a \\ demo\u0007',
  url: 'https://search.example/events/ethanywhere',
};
const linesOf = (...entries: Parameters<typeof calendarFile>[0]) =>
  calendarFile(entries, Date.parse('2026-01-31T12:00:02.345Z')).split('\r\n');

test('an entry lasts whole days, and its texts are escaped', () => {
  expect(linesOf(entry)).toEqual([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Entity Search//EN',
    'BEGIN:VEVENT',
    'UID:events-7@search.example',
    'DTSTAMP:20260131T120002Z',
    'DTSTART;VALUE=DATE:20260227',
    'DTEND;VALUE=DATE:20260301',
    'SUMMARY:ETHAnywhere',
    String.raw`LOCATION:Hall 1\, Lisbon`,
    String.raw`DESCRIPTION:Talks\; workshops\nand a \\ demo `,
    'URL:https://search.example/events/ethanywhere',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ]);
});

test('an entry without a last day, or with one before the first, lasts one day; empty texts are left out', () => {
  for (const last of [null, '2026-02-01']) {
    const lines = linesOf({ ...entry, last, place: '', text: '', url: '' });
    expect(lines).toContain('DTEND;VALUE=DATE:20260228');
    expect(lines.filter((line) => /^(?:LOCATION|DESCRIPTION|URL)/.test(line))).toEqual([]);
  }
});

test('a line is folded at 75 bytes without losing a character', () => {
  const title = '🔑ü'.repeat(40);
  const lines = linesOf({ ...entry, title });
  expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75);
  expect(lines.join('\r\n').replaceAll('\r\n ', '')).toContain(`SUMMARY:${title}\r\n`);
});
