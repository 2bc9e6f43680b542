import { EventEmitter } from 'node:events';
import { type EmbedReport, embedKind } from '../../indexer/embeddings/embed-kind.ts';
import type { EmbeddingEvents } from '../../indexer/embeddings/fill-vectors.ts';
import { openLockSession } from '../../indexer/generations/locks.ts';
import { type EmbeddingsConfig, readEmbeddings } from '../../src/config/embeddings.ts';
import { createEmbeddingProvider } from '../../src/embeddings/create-provider.ts';
import { checkProvider, EmbeddingError } from '../../src/embeddings/provider.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { kindsArgument } from '../arguments.ts';
import { processName, withDatabase } from '../connections.ts';
import type { CommandContext, MakeCommand } from '../context.ts';
import { defineCommand } from '../define-command.ts';
import { CommandError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { showEmbed } from '../progress/embed.ts';
import { Progress } from '../progress/progress.ts';

const notes = `Creates a vector of each entity's text with the model that EMBEDDINGS names, where there is none yet or the text has
changed, and removes vectors of entities that are gone. It may be stopped and run again at any time. sync does the same
in the background; meanwhile, this command waits. Vectors of other models stay.

Texts that the provider refuses are reported and left out, and the exit code is 2. If the provider fails, the command
retries a few times, then exits with 1. entity-search plan counts the texts that lack a vector.

Settings: EMBEDDINGS, EMBEDDINGS_MODEL, EMBEDDINGS_DIMENSION, EMBEDDINGS_API_KEY, EMBEDDINGS_MODEL_PATH
(docs/reference/settings.md).`;

export const makeCommand: MakeCommand = (context) =>
  defineCommand('embed', { notes, examples: ['embed', 'embed companies people', 'embed --json 2>progress.ndjson'] })
    .addArgument(kindsArgument())
    .action((kinds: readonly KindName[]) => embed(context, configuredEmbeddings(context), kinds));

function configuredEmbeddings({ env }: CommandContext): EmbeddingsConfig {
  const config = readEmbeddings(env);
  if (config !== null) return config;
  throw new CommandError(
    'EMBEDDINGS is off. Set it to local, or to the address of a server (docs/embeddings.md).',
    exitCodes.usage,
  );
}

async function embed(context: CommandContext, config: EmbeddingsConfig, kinds: readonly KindName[]): Promise<void> {
  const reports = await withDatabase(context, async (pool) => {
    const { batchSize, timeoutMs } = context.limits.embeddings;
    const provider = createEmbeddingProvider({ ...config, batchSize });
    using progress = new Progress(context);
    try {
      await checked(checkProvider(provider, timeoutMs, context.signal), context.signal);
      await using locks = await openLockSession(pool, processName('embed'), 'the locks of the vectors');
      const events = new EventEmitter<EmbeddingEvents>();
      showEmbed(progress, events);
      const deps = {
        pool,
        provider,
        timeoutMs,
        events,
        limits: context.limits.embeddings,
        locks,
        // Spreads retries; no security depends on it.
        // nosemgrep: no-predictable-chance
        random: Math.random,
        onWaiting: (kind: KindName, holder: string) =>
          progress.report('info', 'waiting for another process that makes these vectors', { kind, holder }),
      };
      const each: EmbedReport[] = [];
      for (const kind of kinds) each.push(await embedKind(deps, kind, context.signal));
      return each;
    } finally {
      await provider.close();
    }
  });
  const rows = reports.map(({ kind, ...counts }) => ({ kind, model: config.model.name, ...counts }));
  context.terminal.printRows(rows, '');
  if (reports.some(({ skipped }) => skipped > 0)) context.exitWith(exitCodes.partial);
}

/**
 * Waits for a check of the settings or the server before the work begins, and throws its failure as a `CommandError`.
 */
async function checked(asked: Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await asked;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof EmbeddingError) throw new CommandError(error.message, exitCodes.failed, { cause: error });
    throw error;
  }
}
