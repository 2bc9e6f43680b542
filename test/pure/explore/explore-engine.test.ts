import { main } from '../../../dev/explore/engine/cli.ts';
import { replay } from '../../../dev/explore/engine/schedule.ts';
import { explored, onlyFinding, unbounded } from '../../support/explore/explored.ts';
import { independent, lostUpdate, safeUpdate } from '../../support/explore/toys.ts';

describe('The explored schedules', () => {
  it('is every interleaving once: C(7, 3) of tasks with 3 and 4 operations, 3 among them 5! / (2! 2! 1!)', async () => {
    expect(await explored(independent(3, 4), { budget: unbounded, prune: false })).toMatchObject({
      schedules: 35,
      pruned: 0,
      deepest: 7,
      exhausted: true,
      failures: 0,
    });
    expect((await explored(independent(2, 2, 1), { budget: unbounded, prune: false })).schedules).toBe(30);
  });

  it('is every state once with pruning: (n + 1)(m + 1)', async () => {
    expect(await explored(independent(3, 4), { budget: unbounded })).toMatchObject({ states: 20, exhausted: true });
    expect((await explored(independent(9, 11), { budget: unbounded })).states).toBe(120);
  });

  it('is bounded by the budget: each task moves to its end, until it is preempted', async () => {
    // aabb costs 0; abba and bbaa 1; abab and baab 2; baba 3.
    for (const [budget, count] of [1, 3, 5, 6].entries()) {
      const { schedules, completedBudget } = await explored(independent(2, 2), { budget, prune: false });
      expect([completedBudget, schedules]).toEqual([budget, count]);
    }
  });
});

describe('A defect', () => {
  it('of one preemption is found at cost 1, printed as a story, and replayed from its token', async () => {
    const finding = await onlyFinding(lostUpdate);
    expect(finding).toMatchObject({ cost: 1, failure: { kind: 'invariant' } });
    expect(finding.schedule).toHaveLength(1);
    expect(finding.story.split('\n').map((line) => line.trim())).toEqual([
      '1   a  add-a  unrelated → ok',
      '2   a  add-a  read → ok',
      '3 > b  add-b  unrelated → ok',
      '4   b  add-b  read → ok',
      '5   b  add-b  write → ok',
      '6   a  add-a  write → ok',
      '7   at rest',
      '= invariant: lost update: the counter is 1 after two additions',
      'counter: 1',
    ]);
    const again = await replay(finding.token, [lostUpdate]);
    expect(again).toMatchObject({ sameFailure: true, failure: finding.failure });
  });
});

describe('The command line', () => {
  async function ran(...argv: string[]): Promise<[code: number, text: string]> {
    const lines: string[] = [];
    const code = await main([lostUpdate, safeUpdate], argv, (text) => lines.push(text));
    return [code, lines.join('\n')];
  }
  const here = ['--seconds', '20'];

  it('ends with 1 and the story if something is found, with 0 and the bound if not', async () => {
    const [code, text] = await ran(...here, '--budget', '1', '--scenario', 'lost-update');
    expect(code).toBe(1);
    expect(text).toContain('lost-update: every schedule of cost <= 1 is explored');
    expect(text).toContain('FOUND in lost-update, 7 steps, cost 1: invariant\n   1   a  add-a  unrelated → ok\n');
    const token = /replay: (.*)/.exec(text)?.[1] ?? '';
    expect(await ran('--replay', token)).toEqual([1, expect.stringContaining('= invariant: lost update')]);
    expect(await ran(...here, '--budget', '1', '--scenario', 'safe-update')).toEqual([
      0,
      expect.stringMatching(/every schedule of cost <= 1 is explored\n.*\n.*: nothing found\.$/),
    ]);
  });
});
