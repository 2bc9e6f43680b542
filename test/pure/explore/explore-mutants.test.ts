import { expect, test } from '@jest/globals';
import type { PaymentMutant } from '../../../dev/explore/mutants/mutant.ts';
import { MisfitMutantError } from '../../../dev/explore/mutants/mutated-copy.ts';
import { exploreMutant } from '../../../dev/explore/mutants/payments.ts';
import { mutants } from '../../../dev/explore/mutants/payments-list.ts';

// The explorer has teeth: every defect that is put back is found, and as what it is.

/** For one exploration. On an idle machine the slowest takes 2 s, its process included; others' work goes first. */
const seconds = 90;

test.each(mutants.map((mutant) => [mutant.name, mutant] as const))(
  'found: %s',
  async (_name, mutant) => {
    expect((await exploreMutant(mutant, seconds)) ?? 'nothing').toMatch(new RegExp(`^${mutant.found}`));
  },
  120_000,
);

test('a mutant that no longer fits the source is reported', async () => {
  const [first] = mutants;
  const edits = [['src/payments/flow/settlement.ts', 'this stands nowhere', '']] as const;
  await expect(exploreMutant({ ...(first as PaymentMutant), edits }, 1)).rejects.toThrow(MisfitMutantError);
});
