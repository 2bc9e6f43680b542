import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { generationHash } from '../../mappings/registry.ts';
import { indexerSettings } from '../../src/config/indexer.ts';
import type { EmbeddingModel } from '../../src/embeddings/model.ts';
import { kindNames } from '../../src/kinds/kind.ts';
import { type ProgramContext, runEntitySearch } from '../lib/programs.ts';
import { readOptional, writeWhole } from '../lib/state.ts';
import { writeSample } from '../sample/generate.ts';
import type { DemoConfig } from './config.ts';
import { markDemoOwned } from './guard.ts';
import type { DemoIndices } from './indices.ts';

/**
 * Imports the data and builds the indices. With a kept state there is nothing to do: no row differs, and a record of
 * the last reindex proves that this code built the indices from these rows.
 */
export async function loadData(
  config: DemoConfig,
  programs: ProgramContext,
  { indices, model }: { readonly indices: DemoIndices; readonly model: EmbeddingModel | null },
  printLine: (line: string) => void,
): Promise<void> {
  const note = join(config.state, 'indexed.json');
  const from = config.ownDatabase ? digest(programs.env.DATABASE_URL ?? '') : 'the database of this folder';
  const into = await indices.clusterId();
  const options = { embeddings: model, shards: indexerSettings(programs.env).ELASTICSEARCH_SHARDS };
  const code = JSON.stringify({ hashes: kindNames.map((kind) => generationHash(kind, options)), from, into });
  const indexedBy = readOptional(note);
  // Removed until the indices are complete, so that a crash in between doesn't count as a finished run.
  rmSync(note, { force: true });
  await runEntitySearch(['migrate'], programs);
  if (config.ownDatabase && !config.intoExisting) await markDemoOwned(programs.env.DATABASE_URL ?? '');
  const changed = await importData(config, programs, printLine);
  if (!changed && into !== undefined && indexedBy === code && (await indices.serve())) {
    printLine('The indices are up to date.');
  } else {
    // The guard has checked the owner of the indices, or is switched off.
    await runEntitySearch(['reindex', ...(config.intoExisting ? ['--take-over'] : [])], programs);
  }
  writeWhole(note, code);
}

// The address contains a password.
function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const summary = z.array(z.object({ inserted: z.number(), updated: z.number(), pruned: z.number() }));

const partlyDone = 2;
const refused = 3;

async function importData(
  config: DemoConfig,
  programs: ProgramContext,
  printLine: (line: string) => void,
): Promise<boolean> {
  const data = config.data === undefined ? await sampleData(config, programs.signal) : resolve(config.data);
  printLine(config.data === undefined ? 'Data: the fictional sample' : `Data: ${config.data}`);
  // An existing database keeps rows that are not in the files. The demo's own database becomes equal to the files.
  const args = ['import', data, '--json', ...(config.ownDatabase ? [] : ['--prune'])];
  const { stdout } = await runEntitySearch(args, programs, [0, partlyDone, refused]);
  return summary.parse(JSON.parse(stdout)).some((kind) => kind.inserted + kind.updated + kind.pruned > 0);
}

async function sampleData(config: DemoConfig, signal: AbortSignal): Promise<string> {
  const directory = resolve(config.state, 'sample');
  await writeSample(directory, undefined, signal);
  return directory;
}
