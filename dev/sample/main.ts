import { Command, InvalidArgumentError } from 'commander';
import { SAMPLE_DEFAULTS, writeSample } from './generate.ts';
import { SAMPLE_KINDS } from './rows.ts';
import { SAMPLE_ROWS_MAX } from './world.ts';

interface Flags {
  readonly dir: string;
  readonly seed: number;
  readonly companies: number;
  readonly people: number;
  readonly investors: number;
  readonly events: number;
}

function wholeNumber(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError('Give a number below 2^53.');
  return value;
}

function count(text: string): number {
  const value = wholeNumber(text);
  if (value < 0 || value > SAMPLE_ROWS_MAX) throw new InvalidArgumentError(`Give 0 to ${SAMPLE_ROWS_MAX}.`);
  return value;
}

const program = new Command('sample')
  .description(
    'Writes plainly fictional companies, people, investors and events as NDJSON, the same for the same seed.',
  )
  .requiredOption('--dir <directory>', 'where to write; made when missing')
  .option('--seed <number>', 'another seed, another world', wholeNumber, SAMPLE_DEFAULTS.seed);
for (const kind of SAMPLE_KINDS) {
  program.option(`--${kind} <number>`, `how many ${kind}`, count, SAMPLE_DEFAULTS.counts[kind]);
}

const { dir, seed, ...counts } = program.parse().opts<Flags>();
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
try {
  const written = await writeSample(dir, { seed, counts }, interrupted.signal);
  const parts = SAMPLE_KINDS.map((kind) => `${written[kind]} ${kind}`);
  process.stdout.write(`${parts.join(', ')} in ${dir} (seed ${seed})\n`);
} catch (error) {
  if (!(error instanceof Error)) throw error;
  process.stderr.write(`No sample was written to ${dir}: ${error.message}. Give another --dir or free some room.\n`);
  process.exitCode = 1;
}
