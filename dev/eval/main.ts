import { readFile, writeFile } from 'node:fs/promises';
import type { Client } from '@elastic/elasticsearch';
import { Command } from 'commander';
import { readEmbeddings } from '../../src/config/embeddings.ts';
import { openVectors } from '../../src/embeddings/query-vectors.ts';
import { startEngines } from '../engines/engines.ts';
import { baselineOf, parseBaseline, regressions } from './baseline.ts';
import {
  type Corpus,
  corpusClient,
  disposable,
  indexPrefix,
  isLoaded,
  loadCorpus,
  readingOf,
  reindexCorpus,
  searchOf,
} from './corpus.ts';
import { type Judgments, parseJudgments } from './judgments.ts';
import { comparisonLines, pairLines, reportLines } from './report.ts';
import { parseSavedRun, type Run, runQueries } from './run.ts';

interface Options {
  readonly data: readonly string[];
  readonly judgments: readonly string[];
  readonly json?: boolean;
  readonly save?: string;
  readonly compare?: string;
  readonly baseline?: string;
  readonly writeBaseline?: string;
  readonly reuse?: boolean;
  readonly reindex?: boolean;
  readonly name: string;
  readonly class: readonly string[];
}

const printLine = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const several = (value: string, before: readonly string[]): readonly string[] => [...before, value];

const program = new Command('eval')
  .description('Measures the results of searches on judged queries.')
  .option('--data <dir>', 'folder with companies|people|investors|events.ndjson; repeatable', several, [])
  .option('--judgments <file>', 'judged queries; see docs/relevance.md for the form; repeatable', several, [])
  .option('--json', 'print the whole run as JSON instead of tables')
  .option('--save <file>', 'write the whole run as JSON, for --compare')
  .option('--compare <file>', 'show each query that moved since a saved run')
  .option('--baseline <file>', 'fail where a class falls behind these figures')
  .option('--write-baseline <file>', 'write the figures for --baseline')
  .option('--reuse', 'search what an earlier run loaded, if anything')
  .option('--reindex', 'with --reuse: build the indices anew from the loaded rows')
  .option('--name <name>', 'keeps this corpus apart from others: letters, digits and "_"', 'main')
  .option('--class <prefix>', 'only classes whose name begins with this; repeatable', several, [])
  .addHelpText(
    'after',
    `
Engines: DATABASE_URL and ELASTICSEARCH_URL where set, else Docker, else local ones kept in .local/eval. The corpus has
a database and indices of its own; nothing else on the engines is touched.

With EMBEDDINGS set, vectors are made before the indices, and every query is asked twice, without and with them.

Examples:
  $ npm run eval -- --data ./data --judgments ./data/judgments.json --save before.json
  $ npm run eval -- --reuse --judgments ./data/judgments.json --compare before.json`,
  )
  .action(evaluate);

async function evaluate(options: Options): Promise<void> {
  if (!/^[a-z0-9_]{1,30}$/.test(options.name)) throw new Error('--name may hold a-z, 0-9 and "_", 30 characters');
  const abort = new AbortController();
  process.once('SIGINT', () => abort.abort(new Error('Stopped by SIGINT.')));
  const engines = await startEngines({
    state: '.local/eval',
    env: process.env,
    printLine,
    fsync: false,
    signal: abort.signal,
  });
  try {
    const corpus = {
      name: options.name,
      postgresUrl: engines.postgres.url,
      elasticsearchUrl: engines.elasticsearch.url,
    };
    await prepare(corpus, options, abort.signal);
    await using client = disposable(corpusClient(corpus));
    if (options.judgments.length > 0) await measure(corpus, client, options);
  } finally {
    await engines.stop();
  }
}

async function measure(corpus: Corpus, client: Client, options: Options): Promise<void> {
  const read = await Promise.all(options.judgments.map(async (file) => parseJudgments(await readFile(file, 'utf8'))));
  const judgments = ofClasses(together(read), options.class);
  const reading = await readingOf(indexPrefix(corpus), client);
  const without = await runQueries(judgments, searchOf(indexPrefix(corpus), client, reading), true);
  const config = readEmbeddings(process.env);
  if (config === null) return report(without, options);
  await using vectors = await openVectors(config, reading);
  const run = await runQueries(judgments, searchOf(indexPrefix(corpus), client, reading, vectors), true);
  for (const line of pairLines(without, run)) printLine(line);
  return report(run, options);
}

async function prepare(corpus: Corpus, options: Options, signal: AbortSignal): Promise<void> {
  if (options.reuse && (await isLoaded(corpus))) {
    if (options.reindex) await reindexCorpus(corpus, signal);
    return;
  }
  if (options.data.length === 0) throw new Error('Name the folder of the data with --data.');
  await loadCorpus(corpus, options.data, signal);
}

function together(several: readonly Judgments[]): Judgments {
  return {
    universes: new Map(several.flatMap(({ universes }) => [...universes])),
    queries: several.flatMap(({ queries }) => queries),
  };
}

function ofClasses(judgments: Judgments, prefixes: readonly string[]): Judgments {
  if (prefixes.length === 0) return judgments;
  const queries = judgments.queries.filter((query) => prefixes.some((prefix) => query.class.startsWith(prefix)));
  return { ...judgments, queries };
}

async function report(run: Run, options: Options): Promise<void> {
  if (options.save !== undefined) await writeFile(options.save, `${JSON.stringify(run)}\n`);
  const before = options.compare === undefined ? null : parseSavedRun(await readFile(options.compare, 'utf8'));
  if (options.writeBaseline !== undefined) {
    await writeFile(options.writeBaseline, `${JSON.stringify(baselineOf(run.summary), null, 2)}\n`);
  }
  if (options.json) print(JSON.stringify(run));
  else for (const line of reportLines(run)) print(line);
  if (before !== null) for (const line of comparisonLines(before, run)) (options.json ? printLine : print)(line);
  if (options.baseline === undefined) return;
  const worse = regressions(parseBaseline(await readFile(options.baseline, 'utf8')), run.summary);
  if (worse.length > 0) throw new Error(`Worse than ${options.baseline}:\n  ${worse.join('\n  ')}`);
}

try {
  await program.parseAsync();
} catch (error) {
  printLine(`error: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
