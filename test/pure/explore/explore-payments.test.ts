import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { replay } from '../../../dev/explore/engine/schedule.ts';
import { mutants } from '../../../dev/explore/mutants/payments-list.ts';
import { rotated } from '../../../dev/explore/mutants/rotation.ts';
import { scenarios } from '../../../dev/explore/payments/scenarios.ts';

// The short form of `npm run explore:payments`, and the schedules that it found broken once.

const main = join(import.meta.dirname, '..', '..', '..', 'dev', 'explore', 'payments', 'main.ts');

const report = z.object({
  scenarios: z.array(
    z.object({
      name: z.string(),
      completedBudget: z.int().nullable(),
      states: z.int(),
      findings: z.array(z.object({ story: z.string() })),
    }),
  ),
});

/** The scenarios that are explored up to the cost of the costliest mutant, one with every fourth commit. */
const core = ['facilitator-same-header', 'facilitator-fresh-payments', 'lost-rows', 'strangers'];
const { tried: coreTried } = rotated('core scenarios of the payment code', core, 4 * core.length);
const coreBudget = Math.max(...mutants.map(({ budget }) => budget));

/** Neighbours are the same scenario through another entrance, so that each commit explores one of them. */
const names = scenarios
  .map(({ name }) => name.replace(/^(mcp-)?(.*)/, '$2 $1'))
  .toSorted()
  .map((name) => name.replace(/(.*) (.*)/, '$2$1'));
const { tried } = rotated('scenarios of the payment code', names, 2);

test.each([
  ['every second scenario', 1, tried, 20_000] as const,
  ...coreTried.map((name) => [`the scenario ${name}`, coreBudget, [name], 100_000] as const),
])(
  'every schedule of %s with up to %i deviations keeps the invariants',
  async (_what, budget, names, statesMin) => {
    // They take 5 s and 20 s on an idle core; the limit is for one that has nothing left for it.
    const chosen = names.flatMap((name) => ['--scenario', name]);
    const options = [main, '--seconds', '400', '--budget', `${budget}`, '--json', ...chosen];
    // Exit code 1 with a finding, whose story the report has.
    const run = promisify(execFile)(process.execPath, options, { maxBuffer: 2 ** 26 });
    const { stdout } = await run.catch((error: { readonly stdout: string }) => error);
    const explored = report.parse(JSON.parse(stdout)).scenarios;
    expect(explored.flatMap(({ findings }) => findings.map(({ story }) => story)).join('\n')).toBe('');
    expect(explored.map(({ name }) => name).sort()).toEqual(names.toSorted());
    expect(explored.filter(({ completedBudget }) => (completedBudget ?? 0) < budget)).toEqual([]);
    expect(explored.reduce((sum, { states }) => sum + states, 0)).toBeGreaterThan(statesMin);
  },
  440_000,
);

/**
 * Schedules that broke a promise once. Each begins with defaults, and its labels are the other choices. If the code has
 * changed so much that one no longer fits, `--replay` shows the place, and the story the steps to look for.
 */
const mended = [
  {
    story:
      'The facilitator is away at first, the database at the second try, and at the third, for which a new payment was ' +
      'signed, the facilitator refuses the first one and sends it to the chain: the first one is served, and no other pays.',
    schedule: [
      [5, 'api  payer-1 try 1  facilitator.verify a01 → status 429'],
      [3, 'api  payer-1 try 2  ledger.history → database lost before'],
      [11, 'api  payer-1 try 3  facilitator.verify a01 → says invalid, and sends it to the chain'],
    ],
    scenario: 'one-payer-fresh-payments',
    failure: 'invariant charged twice',
    ends: 'on the chain: a01 in 001',
  },
  {
    story:
      'The facilitator answers something vague, and the payer hangs up while that is written down: nothing more is ' +
      'settled for them.',
    schedule: [
      [8, 'api  payer-1 try 1  facilitator.settle a01 → says something vague, nothing sent'],
      [3, '* payer-1 try 1 hangs up'],
    ],
    scenario: 'one-payer-same-header',
    failure: 'invariant nobody waits',
    ends: 'payers  payer-1  answer → connection broken',
  },
] as const;

describe('fixed:', () => {
  test.each(mended)('$story', async ({ scenario, schedule, failure, ends }) => {
    const replayed = await replay(JSON.stringify({ scenario, schedule, failure }), scenarios);
    expect(replayed.failure).toBeNull();
    expect([...replayed.steps.map(({ label }) => label), ...replayed.world.split('\n')]).toContain(ends);
  });
});
