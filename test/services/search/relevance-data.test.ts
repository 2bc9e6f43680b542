import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseBaseline, regressions } from '../../../dev/eval/baseline.ts';
import { parseJudgments } from '../../../dev/eval/judgments.ts';
import { realData, testOnRealData } from '../../support/real-data.ts';
import { judgedRun } from '../../support/relevance-corpus.ts';
import { setDataStage } from '../../support/stages/features.ts';

const judgments = join(realData, 'judgments.dev.json');

testOnRealData('relevance on real data', 'judgments.dev.json')(
  'on real data, no class of judged queries is worse than in dev/eval/baseline.json',
  async () => {
    const baseline = parseBaseline(readFileSync(new URL('../../../dev/eval/baseline.json', import.meta.url), 'utf8'));
    await using stage = await setDataStage();
    const { summary } = await judgedRun(stage, parseJudgments(readFileSync(judgments, 'utf8')));
    expect(regressions(baseline, summary)).toEqual([]);
  },
);
