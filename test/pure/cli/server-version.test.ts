import { judgeServerVersion } from '../../../cli/doctor/checks/postgres.ts';

// Doctor's findings about Postgres by its version.

const judged = (name: string) => {
  const { level, found, todo } = judgeServerVersion({ name, major: Number.parseInt(name, 10) });
  return [level, found, todo];
};

test.each(['15.18', '16.14', '17.10', '18.4 (Debian 18.4-1)'])('%s is supported', (name) => {
  expect(judged(name)).toEqual(['ok', `Postgres ${name}.`, null]);
});

test.each(['14.23', '9.6.24'])('%s is too old, and the versions to use are named', (name) => {
  expect(judged(name)).toEqual(['fail', `Postgres ${name} is too old.`, 'Use Postgres 15 to 18.']);
});

test('an untried version is a warning', () => {
  expect(judged('19beta1')).toEqual([
    'warn',
    'Postgres 19beta1 is newer than what was tested.',
    'Use Postgres 15 to 18.',
  ]);
});
