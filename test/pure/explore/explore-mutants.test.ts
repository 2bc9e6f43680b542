import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { indexMutants } from '../../../dev/explore/mutants/index-list.ts';
import { root } from '../../../dev/explore/mutants/mutated-copy.ts';
import { exploreMutant } from '../../../dev/explore/mutants/payments.ts';
import { mutants } from '../../../dev/explore/mutants/payments-list.ts';
import { rotated } from '../../../dev/explore/mutants/rotation.ts';

// The explorer is effective: it finds every defect that is put back, with the right diagnosis.

/** For one exploration. On an idle machine the slowest takes 2 s, its process included; others' work goes first. */
const seconds = 90;

const { tried } = rotated('mutants of the payment code', mutants, 12);

test.each(tried.map((mutant) => [mutant.name, mutant] as const))(
  'the explorer finds the mutant: %s',
  async (_name, mutant) => {
    expect((await exploreMutant(mutant, seconds)) ?? 'nothing').toMatch(new RegExp(`^${mutant.found}`));
  },
);

test('every mutant applies to the source, including those not run by this test', () => {
  const misfits = [...mutants, ...indexMutants].filter(({ edits }) =>
    edits.some(([file, find]) => readFileSync(join(root, file), 'utf8').split(find).length !== 2),
  );
  expect(misfits.map(({ name }) => name)).toEqual([]);
});
