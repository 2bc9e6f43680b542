import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseBaseline, regressions } from '../../eval/baseline.ts';
import { parseJudgments } from '../../eval/judgments.ts';
import { runOnFolder } from '../support/relevance-corpus.ts';

const folder = process.env.DATA ?? '';
const judgments = join(folder, 'judgments.dev.json');
const given = folder !== '' && existsSync(judgments);
if (!given) {
  process.stderr.write(
    'SKIPPED: relevance on real data. Set DATA to a folder with companies, people, investors, events .ndjson and judgments.dev.json.\n',
  );
}

(given ? test : test.skip)(
  'on real data, no class of judged queries falls behind eval/baseline.json',
  async () => {
    const baseline = parseBaseline(readFileSync(new URL('../../eval/baseline.json', import.meta.url), 'utf8'));
    const { summary } = await runOnFolder('data', folder, parseJudgments(readFileSync(judgments, 'utf8')));
    expect(regressions(baseline, summary)).toEqual([]);
  },
  180_000,
);
