import { randomInt } from 'node:crypto';
import { createClockedDatabase } from '../../../support/engines/clocked-database.ts';
import { forFile } from '../../../support/for-file.ts';
import { difference, firstDifference } from '../../../support/payments/ledger-compare.ts';
import { crowd, stories } from '../../../support/payments/ledger-stories.ts';

// The explorer runs the payment code over a ledger in memory (dev/explore/payments/ledger.ts). Its proofs hold for
// Postgres only as far as the two behave alike.

/** Lists of some 30 commands each. */
const runs = 40;

const told = [...stories, crowd(18)];

const database = await forFile(createClockedDatabase());

describe('the simulated ledger and the real one answer alike and keep the same rows', () => {
  test('whatever is asked of them', async () => {
    expect(await firstDifference(runs, 13, database)).toBeNull();
  });

  const seed = randomInt(2 ** 31);
  test(`whatever else is asked of them (seed ${seed})`, async () => {
    expect(await firstDifference(runs, seed, database)).toBeNull();
  });

  test.each(told)('in story %#', async (...commands) => {
    expect(await difference(commands, database)).toBeNull();
  });
});
