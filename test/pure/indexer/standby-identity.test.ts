import { judgeState } from '../../../indexer/read/standby-identity.ts';

// Whether a standby may be read from, by what it says of itself.

const needed = { system: '71', database: '5', timeline: 2, lsn: '0/30', version: 9 };
const state = { system: '71', database: '5', timeline: 2, recovering: true, replayed: true, behindSeconds: 4 };

test('one that has replayed what is needed may', () => {
  expect(judgeState(state, needed)).toEqual({ kind: 'good' });
});

test('one that has not is waited for', () => {
  expect(judgeState({ ...state, replayed: false }, needed)).toEqual({
    kind: 'lagging',
    why: 'it has not replayed what was committed; its last transaction is 4 s old',
  });
});

test.each([
  ['another server', { system: '72' }, 'foreign', 'system identifier is 72, not 71'],
  ['another database', { database: '6' }, 'foreign', 'another database'],
  ['a server that was promoted', { recovering: false }, 'unusable', 'promoted'],
  ['one of an earlier timeline', { timeline: 1 }, 'unusable', 'timeline 1, and the primary is on 2'],
  ['one of another later timeline', { timeline: 3 }, 'unusable', 'timeline 3, and the primary is on 2'],
])('%s may not, however much it has replayed', (_, change, kind, why) => {
  expect(judgeState({ ...state, ...change }, needed)).toEqual({ kind, why: expect.stringContaining(why) });
});
