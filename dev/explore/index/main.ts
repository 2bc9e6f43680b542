import { Command } from 'commander';
import { wholeNumber } from '../../torture/options.ts';
import { exploreSchedules, type PrintedFinding, replay } from './explore.ts';
import { themes } from './schedule/themes.ts';
import { startExplored } from './world/engines.ts';

interface Flags {
  readonly minutes: number;
  readonly seconds?: number;
  readonly seed: number;
  readonly runs?: number;
  readonly theme?: readonly string[];
  readonly first?: boolean;
  readonly verbose?: boolean;
  readonly shrink: boolean;
  readonly replay?: string;
}

const program = new Command('explore:index')
  .description(
    'Schedules of writers, programs, crashes and engines that go back, on real engines; invariants are checked.',
  )
  .option('--minutes <number>', 'begin no schedule after this', wholeNumber, 10)
  .option('--seconds <number>', 'the same in seconds', wholeNumber)
  .option('--seed <number>', 'of the first schedules; the others follow', wholeNumber, Math.floor(Math.random() * 1e6))
  .option('--runs <number>', 'schedules of each theme; as many as the time allows unless given', wholeNumber)
  .option('--theme <names...>', `only these: ${Object.keys(themes).join(', ')}`)
  .option('--first', 'end with the first finding')
  .option('--verbose', 'tell every step, and how each program ended')
  .option('--no-shrink', 'leave findings as long as they were met')
  .option('--replay <schedule>', 'run one schedule again, as it was printed')
  .addHelpText(
    'after',
    `
Postgres is its own, in .local; Elasticsearch is that of ELASTICSEARCH_URL, else its own, too. Findings go to stderr as
stories; the last line on stdout is JSON with all of them. Exit code 1 where there is one.

Examples:
  $ npm run explore:index -- --minutes 5 --seed 7
  $ npm run explore:index -- --theme verify --seed 12 --runs 1`,
  );

const flags = program.parse().opts<Flags>();
const printLine = (line: string): void => void process.stderr.write(`${line}\n`);
const { ELASTICSEARCH_URL, ...others } = process.env;
{
  await using engines = await startExplored({ ...others, ...(ELASTICSEARCH_URL && { ELASTICSEARCH_URL }) }, printLine);
  const options = {
    ...flags,
    themes: flags.theme ?? Object.keys(themes),
    untilMs: (flags.seconds ?? flags.minutes * 60) * 1_000,
    printLine,
  };
  const told: readonly PrintedFinding[] =
    flags.replay === undefined
      ? await exploreSchedules(engines, options)
      : await replay(engines, flags.replay, printLine);
  process.stdout.write(`${JSON.stringify({ seed: flags.seed, findings: told })}\n`);
  process.exitCode = told.length > 0 ? 1 : 0;
}
// A killed program may still wait for an answer that never comes.
process.exit();
