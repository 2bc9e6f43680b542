import { progressText, progressTextWriter } from '../../../dev/lib/progress-text.ts';

test.each([
  [
    '{"event":"progress","kind":"companies","state":"loading","rows":40,"total":100}',
    'companies: loading, 40 of 100 rows',
  ],
  ['{"event":"start","kind":"people","generation":"people-1","total":3}', 'people: building people-1'],
  [
    '{"event":"progress","kind":"events","phase":"import","done":900,"total":4000,"read":12}',
    'events: import, 12 lines',
  ],
  ['Applied 001-entities.', 'Applied 001-entities.'],
  ['{not json', '{not json'],
  ['', undefined],
])('%s is told as %s', (line, words) => {
  expect(progressText(line)).toBe(words);
});

test('lines are put together from the pieces they come in', () => {
  const said: string[] = [];
  const lines = progressTextWriter((line) => said.push(line));
  for (const piece of ['one\ntw', 'o\nthr', 'ee']) lines.push(piece);
  lines.end();
  expect(said).toEqual(['one', 'two', 'three']);
});
