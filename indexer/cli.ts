import { Command, CommanderError } from 'commander';
import { accountsCommand } from './commands/accounts.ts';
import { deadLettersCommand } from './commands/dead-letters.ts';
import { doctorCommand } from './commands/doctor.ts';
import { explainCommand } from './commands/explain.ts';
import { importCommand } from './commands/import.ts';
import { keysCommand } from './commands/keys.ts';
import { migrateCommand } from './commands/migrate.ts';
import { paymentsCommand } from './commands/payments.ts';
import { planCommand } from './commands/plan.ts';
import { plansCommand } from './commands/plans.ts';
import { reindexCommand } from './commands/reindex.ts';
import { repairCommand } from './commands/repair.ts';
import { rollbackCommand } from './commands/rollback.ts';
import { statusCommand } from './commands/status.ts';
import { syncCommand } from './commands/sync.ts';
import { verifyCommand } from './commands/verify.ts';
import type { CommandContext, MakeCommand } from './context.ts';
import { explain } from './errors.ts';
import { type ExitCode, exitCodeHelp, exitCodes } from './exit-codes.ts';
import { commandLineConfigText } from './settings-shown.ts';

// In the order in which help lists them: as a new installation needs them.
const commands: readonly MakeCommand[] = [
  migrateCommand,
  importCommand,
  planCommand,
  reindexCommand,
  syncCommand,
  verifyCommand,
  repairCommand,
  statusCommand,
  rollbackCommand,
  deadLettersCommand,
  explainCommand,
  doctorCommand,
  plansCommand,
  accountsCommand,
  keysCommand,
  paymentsCommand,
];

/** Runs one command line (without node and script) and answers its exit code. Never throws. */
export async function runCli(
  args: readonly string[],
  context: Omit<CommandContext, 'exitWith'>,
  version: string,
): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.ok;
  const exitWith = (code: ExitCode): void => {
    exitCode = code;
  };
  try {
    if (args.includes('--print-config')) {
      context.terminal.stdout.write(`${commandLineConfigText(context.env)}\n`);
      return exitCodes.ok;
    }
    await buildProgram({ ...context, exitWith }, version).parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    const { text, exitCode: code } = explain(error);
    context.log.debug({ err: error }, 'the command failed');
    context.terminal.fail(text);
    return code;
  }
}

function buildProgram(context: CommandContext, version: string): Command {
  const program = new Command('entity-search')
    .description('Fills Postgres with entities, keeps Elasticsearch equal to it, and manages who may search.')
    .version(version, '--version', 'print the version')
    .option('--print-config', 'print the settings, without secrets, and end')
    .helpOption('-h, --help', 'print this help')
    .addHelpText(
      'after',
      `
Results go to stdout: a table on a terminal, one line of JSON where it is piped or with --json.
Progress and everything else for people goes to stderr, as JSON lines where that is piped.
${exitCodeHelp}

Examples:
  $ entity-search migrate
  $ entity-search import ./data
  $ entity-search reindex
  $ entity-search help import`,
    );
  for (const makeCommand of commands) program.addCommand(makeCommand(context));
  settle(program, context);
  return program;
}

// Commander writes and exits by itself unless each command, at every depth, is told otherwise.
function settle(command: Command, context: CommandContext): void {
  const { stdout, stderr } = context.terminal;
  command.exitOverride();
  command.showSuggestionAfterError();
  command.showHelpAfterError('(add --help for what is possible)');
  command.configureOutput({
    writeOut: (text) => void stdout.write(text),
    writeErr: (text) => void stderr.write(text),
    getOutHasColors: () => stdout.isTTY === true,
    getErrHasColors: () => stderr.isTTY === true,
  });
  for (const child of command.commands) settle(child, context);
}
