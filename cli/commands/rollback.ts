import { Argument, type Command } from 'commander';
import { rollbackKind } from '../../indexer/generations/rollback.ts';
import { type KindName, kindNames } from '../../src/kinds/kind.ts';
import { positiveNumber } from '../arguments.ts';
import { processName, withDocumentCommand } from '../connections.ts';
import type { CommandContext } from '../context.ts';
import { defineCommand } from '../define-command.ts';

interface RollbackFlags {
  readonly generation?: number;
  readonly takeOver?: boolean;
}

export function makeCommand(context: CommandContext): Command {
  return defineCommand('rollback', {
    notes: `Refused (exit code 3), with the reason, unless that generation has been kept in sync (entity-search sync) and, as
verify finds by comparing it now, equals the tables. GENERATIONS_KEPT sets how many are kept. Running it again goes back.

If nothing is searched, because the index or its alias was removed by hand, the best kept generation is used. If the
alias names several indices, --generation makes it name that one only.`,
    examples: ['rollback companies', 'rollback companies --generation 4'],
  })
    .addArgument(new Argument('<kind>', 'which kind').choices(kindNames))
    .option('--generation <number>', 'to this one of the kept generations', positiveNumber)
    .option('--take-over', 'also if the live index is of another database')
    .action(async (kind: KindName, { generation, takeOver = false }: RollbackFlags) => {
      const { signal, limits } = context;
      const { otherShape, ...report } = await withDocumentCommand(
        context,
        limits.verify.windowsAtOnce + 1,
        async (engines) => {
          const deps = { ...engines, applicationName: processName('rollback'), signal, takeOver };
          return rollbackKind(deps, kind, generation);
        },
      );
      context.terminal.printResult({ ...report, other_shape: otherShape });
      if (report.pending > 0) {
        context.terminal.warn(`${report.to} is ${report.pending} changes behind. Start: entity-search sync`);
      }
      if (otherShape) {
        context.terminal.warn(
          `${report.to} was built by another version: use that version's API with it, or see entity-search plan.`,
        );
      }
    });
}
