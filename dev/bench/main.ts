import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { MissingToolError } from '../engines/preflight.ts';
import { shutdownSignal } from '../lib/graceful-shutdown.ts';
import { StateInUseError } from '../lib/state.ts';
import { compareWithBase, NoBaseError } from './base.ts';
import { benchGroups } from './benches/registry.ts';
import { NoDataError } from './data.ts';
import { type Figure, figureOf, machineNow, sentenceOf } from './figures.ts';
import { type BenchOptions, readWish } from './options.ts';
import { ProgramFailedError } from './programs.ts';
import { checkPage, NoReportError, writeReport } from './report.ts';
import { type BenchSetup, openBenchSetup } from './setup.ts';

type PrintLine = (line: string) => void;

const interruptedCode = 130;

/** `npm run bench`: figures on stdout, one line of JSON each; words for people on stderr. */
async function main(env: NodeJS.ProcessEnv): Promise<number> {
  const printLine: PrintLine = (line) => void process.stderr.write(`${line}\n`);
  const wish = readWish(process.argv.slice(2), env, (text) => void process.stderr.write(text));
  switch (wish.kind) {
    case 'ended':
      return wish.exitCode;
    case 'run':
      return bench(wish.options, env, printLine);
    default:
      return wish satisfies never;
  }
}

async function bench(options: BenchOptions, env: NodeJS.ProcessEnv, printLine: PrintLine): Promise<number> {
  // A page without marks must be found before half an hour of work.
  if (options.report !== undefined) checkPage(options.report);
  const signal = shutdownSignal('the benches', env, printLine);
  try {
    const figures = await measure(options, signal, printLine);
    printLine('');
    for (const figure of figures) printLine(sentenceOf(figure));
    if (options.report !== undefined) writeReport(options.report, figures, await commitOfThis());
    return options.base !== undefined && figures.some(({ met }) => met === false) ? 1 : 0;
  } catch (error) {
    if (signal.aborted) return interruptedCode;
    throw error;
  }
}

async function commitOfThis(): Promise<string> {
  const { stdout } = await promisify(execFile)('git', ['rev-parse', '--short', 'HEAD'], { cwd: import.meta.dirname });
  return stdout.trim();
}

async function measure(options: BenchOptions, signal: AbortSignal, printLine: PrintLine): Promise<readonly Figure[]> {
  if (options.base !== undefined) {
    const compared = await compareWithBase(options.base, options, signal, printLine);
    for (const figure of compared) process.stdout.write(`${JSON.stringify(figure)}\n`);
    return compared;
  }
  await using setup = await openBenchSetup(options, signal, printLine);
  const figures: Figure[] = [];
  for (const group of benchGroups) {
    const wanted = new Set(group.names.filter((name) => options.names.includes(name)));
    if (wanted.size === 0) continue;
    signal.throwIfAborted();
    const machine = machineFor([...wanted].join(' and '), setup);
    for await (const measured of group.run(setup, wanted)) {
      const figure = figureOf(measured, machine);
      figures.push(figure);
      process.stdout.write(`${JSON.stringify(figure)}\n`);
      printLine(sentenceOf(figure));
    }
  }
  return figures;
}

function machineFor(what: string, { versions, printLine }: BenchSetup) {
  const machine = machineNow(versions);
  printLine(`\n${what} …`);
  if (machine.loadAverage > machine.cores / 2) {
    printLine(`The machine is busy (load average ${machine.loadAverage}): ratios will spread, values will be low.`);
  }
  return machine;
}

const forPeople = [MissingToolError, StateInUseError, NoDataError, NoBaseError, ProgramFailedError, NoReportError];

try {
  process.exitCode = await main(process.env);
} catch (error) {
  const known = forPeople.some((kind) => error instanceof kind) || (error instanceof Error && 'syscall' in error);
  process.stderr.write(`error: ${error instanceof Error ? (known ? error.message : error.stack) : String(error)}\n`);
  process.exitCode = 1;
}
