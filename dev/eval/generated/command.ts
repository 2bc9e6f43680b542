import { readFile, writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import { parseJudgments } from '../judgments.ts';
import { readEntities } from './entities.ts';
import { generateQueries } from './queries.ts';

interface Options {
  readonly data: string;
  readonly seed: string;
  readonly perClass: string;
  readonly without: readonly string[];
  readonly out: string;
}

/** `npm run eval -- make-queries`: judged queries that nobody has seen, made from the data. */
export function generateQueriesCommand(printLine: (line: string) => void): Command {
  return new Command('make-queries')
    .description('Makes judged queries of every class from a data folder, to try a change on unseen ones.')
    .requiredOption('--data <dir>', 'folder with companies|people|investors|events.ndjson')
    .requiredOption('--out <file>', 'file for the judged queries')
    .option('--seed <number>', 'another number makes other queries', '1')
    .option('--per-class <number>', 'at most so many of a class', '40')
    .option('--without <file>', 'judged queries whose texts are left out; repeatable', several, [])
    .action(async ({ data, seed, perClass, without, out }: Options) => {
      const avoid: string[] = [];
      for (const file of without) {
        avoid.push(...parseJudgments(await readFile(file, 'utf8')).queries.map(({ q }) => q));
      }
      const entities = await readEntities(data);
      const generated = generateQueries(entities, count('--seed', seed), count('--per-class', perClass), avoid);
      await writeFile(out, `${JSON.stringify(generated)}\n`);
      const classes = new Set(generated.queries.map((query) => query.class));
      printLine(`${generated.queries.length} queries in ${classes.size} classes: ${out}`);
    });
}

function several(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function count(option: string, value: string): number {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new Error(`${option} must be a whole number from 1 on; it is "${value}".`);
}
