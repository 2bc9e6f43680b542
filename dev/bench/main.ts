import { readFile } from 'node:fs/promises';
import { MissingToolError } from '../engines/preflight.ts';
import { lifetimeOf } from '../lib/graceful-shutdown.ts';
import { StateInUseError } from '../lib/state.ts';
import { benchGroups } from './benches/registry.ts';
import { compareFigures, type EarlierFigure, NotFiguresError, parseFigures } from './compare.ts';
import { NoDataError } from './data.ts';
import { type Figure, figureOf, machineNow, sentenceOf } from './figures.ts';
import { type BenchOptions, readWish } from './options.ts';
import { plotFigures } from './plot.ts';
import { ProgramFailedError } from './programs.ts';
import { openStage, type Stage } from './environment.ts';

type Say = (line: string) => void;

const interruptedCode = 130;

/** `npm run bench`: figures on stdout, one line of JSON each; words for people on stderr. */
async function main(env: NodeJS.ProcessEnv): Promise<number> {
  const say: Say = (line) => void process.stderr.write(`${line}\n`);
  const wish = readWish(process.argv.slice(2), env, (text) => void process.stderr.write(text));
  switch (wish.kind) {
    case 'ended':
      return wish.exitCode;
    case 'plot':
      for (const file of await plotFigures(wish.file, wish.directory)) say(file);
      return 0;
    case 'run':
      return bench(wish.options, env, say);
    default:
      return wish satisfies never;
  }
}

async function bench(options: BenchOptions, env: NodeJS.ProcessEnv, warn: Say): Promise<number> {
  const say: Say = options.json ? () => undefined : warn;
  // Read before an hour of work, not after it.
  const before = options.compare === undefined ? undefined : parseFigures(await readFile(options.compare, 'utf8'));
  const signal = lifetimeOf('the benches', env, say);
  try {
    const figures = await measure(options, signal, say);
    say('');
    for (const figure of figures) say(sentenceOf(figure));
    return before === undefined ? 0 : compare(before, figures, warn);
  } catch (error) {
    if (signal.aborted) return interruptedCode;
    throw error;
  }
}

async function measure(options: BenchOptions, signal: AbortSignal, say: Say): Promise<readonly Figure[]> {
  await using stage = await openStage(options, signal, say);
  const figures: Figure[] = [];
  for (const group of benchGroups) {
    const wanted = new Set(group.names.filter((name) => options.names.includes(name)));
    if (wanted.size === 0) continue;
    signal.throwIfAborted();
    const machine = machineFor([...wanted].join(' and '), stage);
    for await (const measured of group.run(stage, wanted)) {
      const figure = figureOf(measured, machine);
      figures.push(figure);
      process.stdout.write(`${JSON.stringify(figure)}\n`);
      say(sentenceOf(figure));
    }
  }
  return figures;
}

function machineFor(what: string, { versions, say }: Stage) {
  const machine = machineNow(versions);
  say(`\n${what} …`);
  if (machine.loadAverage > machine.cores / 2) {
    say(`The machine is busy (load average ${machine.loadAverage}): ratios will spread, values will be low.`);
  }
  return machine;
}

function compare(before: readonly EarlierFigure[], now: readonly Figure[], say: Say): number {
  const comparisons = compareFigures(before, now);
  say('');
  for (const { text } of comparisons) say(text);
  const worse = comparisons.filter(({ verdict }) => verdict === 'worse');
  if (worse.length === 0) return 0;
  say(`Worse than before: ${worse.map(({ name }) => name).join(', ')}.`);
  return 1;
}

const forPeople = [MissingToolError, StateInUseError, NoDataError, NotFiguresError, ProgramFailedError];

try {
  process.exitCode = await main(process.env);
} catch (error) {
  const known = forPeople.some((kind) => error instanceof kind) || (error instanceof Error && 'syscall' in error);
  process.stderr.write(`error: ${error instanceof Error ? (known ? error.message : error.stack) : String(error)}\n`);
  process.exitCode = 1;
}
