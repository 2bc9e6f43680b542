import type { Command } from 'commander';
import { countWaiting } from '../../indexer/embeddings/vector-rows.ts';
import { type KindPlan, planKind } from '../../indexer/generations/plan.ts';
import type { KindName } from '../../src/kinds/kind.ts';
import { kindsArgument } from '../arguments.ts';
import { withDocumentCommand } from '../connections.ts';
import type { CommandContext } from '../context.ts';
import { defineCommand } from '../define-command.ts';

export function makeCommand(context: CommandContext): Command {
  return defineCommand('plan', {
    notes: `Compares mapping, settings, vocabulary and the documents' SQL of this version with those that the live index was
made with. Changes nothing.`,
    examples: ['plan', 'plan companies --json'],
  })
    .addArgument(kindsArgument())
    .action(async (kinds: readonly KindName[]) => {
      const plans = await withDocumentCommand(context, 2, async (engines) => {
        const { pool, embeddings } = engines;
        const each: PlanWithVectors[] = [];
        for (const kind of kinds) {
          const plan = await planKind(engines, kind);
          const missing =
            embeddings === null ? {} : { vectorsMissing: await countWaiting(pool, { kind, model: embeddings }) };
          each.push({ ...plan, ...missing });
        }
        return each;
      });
      const { terminal } = context;
      if (terminal.wantsJson) {
        terminal.printEach(plans);
        return;
      }
      terminal.printEach(plans.map(summary));
      for (const { kind, changes } of plans) if (changes.length > 0) terminal.say(`${kind}: ${changes.join(', ')}`);
      for (const { kind, problem } of plans) if (problem !== null) terminal.warn(`${kind}: ${problem}`);
      const needed = plans.filter((plan) => plan.needed).map(({ kind }) => kind);
      const missing = plans.filter(({ vectorsMissing }) => (vectorsMissing ?? 0) > 0).map(({ kind }) => kind);
      if (missing.length > 0) terminal.say(`Some texts lack vectors. Run: entity-search embed ${missing.join(' ')}`);
      if (needed.length > 0) terminal.say(`Run: entity-search reindex ${needed.join(' ')}`);
    });
}

interface PlanWithVectors extends KindPlan {
  /** Texts that lack a vector of the model; undefined if EMBEDDINGS is off. */
  readonly vectorsMissing?: number;
}

function summary({ kind, live, hash, needed, reason, rows, vectorsMissing }: PlanWithVectors) {
  return {
    kind,
    live,
    hash,
    reindex: needed ? 'needed' : 'not needed',
    rows,
    ...(vectorsMissing !== undefined && { vectors_missing: vectorsMissing }),
    reason,
  };
}
