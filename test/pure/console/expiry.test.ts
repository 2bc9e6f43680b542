import { expiryOf } from '../../../console/client/account/expiry.ts';

const nowMs = new Date('2026-03-01T12:00:00').getTime();

test('a key may have no end', () => {
  expect(expiryOf('never', '', nowMs)).toEqual({ ok: true, expiresAt: null });
});

test('days are counted from now', () => {
  expect(expiryOf('30', '', nowMs)).toEqual({ ok: true, expiresAt: new Date(nowMs + 30 * 86_400_000).toISOString() });
});

test('a date means the end of that day where the reader is', () => {
  const expiry = expiryOf('date', '2026-03-01', nowMs);
  expect(expiry).toEqual({ ok: true, expiresAt: new Date('2026-03-01T23:59:59').toISOString() });
});

test.each([[''], ['tomorrow'], ['2026-13-01'], ['2026-02-28'], ['+012026-03-01']])(
  '%j is no date to choose',
  (date) => {
    expect(expiryOf('date', date, nowMs)).toMatchObject({ ok: false, error: expect.stringContaining('hoose') });
  },
);
