import { parseArgs } from 'node:util';
import { type ExploreOptions, explore } from './explore.ts';
import { reportText } from './report.ts';
import { replay, storyOf } from './schedule.ts';
import type { Scenario } from './types.ts';

const usage = `Options:
  --seconds N      time for all scenarios together (60)
  --budget N       explore exhaustively up to this cost (61)
  --scenario NAME  only this one; may be given several times
  --first          stop at the first failure
  --replay TOKEN   run one schedule again and tell its story
  --json           print the result as JSON
`;

export async function main(
  scenarios: readonly Scenario[],
  argv: readonly string[],
  print: (text: string) => void = (text) => process.stdout.write(`${text}\n`),
): Promise<number> {
  const options = optionsOf(argv);
  if (typeof options === 'string') {
    process.stderr.write(`${options}\n${usage}`);
    return 2;
  }
  if (options.replay !== undefined) {
    const replayed = await replay(options.replay, scenarios);
    print(storyOf(replayed, replayed.failure));
    return replayed.failure === null ? 0 : 1;
  }
  const chosen = options.scenario ? scenarios.filter(({ name }) => options.scenario?.includes(name)) : scenarios;
  if (chosen.length === 0) {
    process.stderr.write(`There is no such scenario. Known: ${scenarios.map(({ name }) => name).join(', ')}\n`);
    return 2;
  }
  const report = await explore(chosen, exploreOptions(options));
  print(options.json ? JSON.stringify(report) : reportText(report));
  return report.scenarios.some(({ findings }) => findings.length > 0) ? 1 : 0;
}

function exploreOptions(options: Options): ExploreOptions {
  const given = (text: string | undefined, standard: number): number => (text === undefined ? standard : Number(text));
  return {
    seconds: given(options.seconds, 60),
    budget: given(options.budget, 61),
    stopAtFirst: options.first === true,
  };
}

type Options = Exclude<ReturnType<typeof optionsOf>, string>;

/** @returns the options, or the error in them */
function optionsOf(argv: readonly string[]) {
  const number = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        seconds: number,
        budget: number,
        scenario: { type: 'string', multiple: true },
        first: flag,
        replay: { type: 'string' },
        json: flag,
      },
    });
    for (const name of ['seconds', 'budget'] as const) {
      const value = values[name];
      if (value !== undefined && !(Number(value) >= 0)) throw new Error(`--${name} ${value} is not a number.`);
    }
    return values;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
