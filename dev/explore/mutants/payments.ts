import { join } from 'node:path';
import { z } from 'zod';
import type { PaymentMutant } from './mutant.ts';
import { runExplorer, withMutatedCopy } from './mutated-copy.ts';

const report = z.object({
  scenarios: z.array(
    z.object({ findings: z.array(z.object({ failure: z.object({ kind: z.string(), message: z.string() }) })) }),
  ),
});

export async function exploreMutant(mutant: PaymentMutant, seconds: number): Promise<string | null> {
  return withMutatedCopy(
    mutant,
    { explorer: 'payments', copied: ['src', 'dev/explore', 'package.json'] },
    async (copy) => {
      const main = join(copy, 'dev', 'explore', 'payments', 'main.ts');
      const options = ['--seconds', `${seconds}`, '--budget', `${mutant.budget}`, '--first', '--json'];
      const { out } = await runExplorer(main, ['--scenario', mutant.scenario, ...options]);
      const [finding] = report.parse(JSON.parse(out)).scenarios.flatMap(({ findings }) => findings);
      return finding === undefined ? null : `${finding.failure.kind} ${finding.failure.message}`;
    },
  );
}
