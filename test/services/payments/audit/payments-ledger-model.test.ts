import { randomInt } from 'node:crypto';
import { createClockedDatabase } from '../../../support/engines/clocked-database.ts';
import { forFile } from '../../../support/for-file.ts';
import { firstDifference } from '../../../support/payments/ledger-compare.ts';

// The explorer runs the payment code over a ledger in memory (dev/explore/payments/ledger.ts). Its proofs hold for
// Postgres only as far as the two behave alike.

/** Lists of some 30 commands each. */
const runs = 20;

const database = await forFile(createClockedDatabase());

const seed = randomInt(2 ** 31);

test.each([13, seed])(
  'the simulated ledger answers like the real one, and has the same rows (seed %i)',
  async (from) => {
    expect(await firstDifference(runs, from, database)).toBeNull();
  },
);
