import { Command, CommanderError } from 'commander';
import { defaultLimits, type Limits } from '../indexer/limits.ts';
import type { CommandContext, MakeCommand } from './context.ts';
import { commandFailure } from './errors.ts';
import { type ExitCode, exitCodeHelp, exitCodes } from './exit-codes.ts';

// Commands in the order of the help: a new installation needs them in this order. Each is loaded only when it is
// called: the modules of the others (a chain's client, the payments) would cost a reindex a fifth of its memory.
const commands: Readonly<Record<string, () => Promise<MakeCommand>>> = {
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand,
  triggers: async () => (await import('./commands/triggers.ts')).triggersCommand,
  import: async () => (await import('./commands/import.ts')).importCommand,
  embed: async () => (await import('./commands/embed.ts')).embedCommand,
  plan: async () => (await import('./commands/plan.ts')).planCommand,
  reindex: async () => (await import('./commands/reindex.ts')).reindexCommand,
  sync: async () => (await import('./commands/sync.ts')).syncCommand,
  verify: async () => (await import('./commands/verify.ts')).verifyCommand,
  repair: async () => (await import('./commands/verify.ts')).repairCommand,
  status: async () => (await import('./commands/status.ts')).statusCommand,
  rollback: async () => (await import('./commands/rollback.ts')).rollbackCommand,
  'dead-letters': async () => (await import('./commands/dead-letters.ts')).deadLettersCommand,
  explain: async () => (await import('./commands/explain.ts')).explainCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
  plans: async () => (await import('./commands/access/plans.ts')).plansCommand,
  accounts: async () => (await import('./commands/access/accounts.ts')).accountsCommand,
  keys: async () => (await import('./commands/access/keys.ts')).keysCommand,
  payments: async () => (await import('./commands/payments/payments.ts')).paymentsCommand,
};

/** Runs one command line (without node and script) and returns its exit code. Never throws. */
export async function runCli(
  args: readonly string[],
  context: Omit<CommandContext, 'exitWith' | 'limits'> & { readonly limits?: Limits | undefined },
  version: string,
): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.ok;
  const exitWith = (code: ExitCode): void => {
    exitCode = code;
  };
  try {
    const named = args.find((arg) => !arg.startsWith('-'));
    const program = await buildProgram(
      { ...context, limits: context.limits ?? defaultLimits, exitWith },
      version,
      named,
    );
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    const { text, exitCode: code } = commandFailure(error);
    context.log.debug({ err: error }, 'the command failed');
    context.terminal.fail(text);
    return code;
  }
}

/** Builds the program with the named command, or with all of them for a help text or a suggestion. */
async function buildProgram(context: CommandContext, version: string, named: string | undefined): Promise<Command> {
  const program = new Command('entity-search')
    .description('Fills Postgres with entities, keeps Elasticsearch in sync with it, and manages access.')
    .version(version, '--version', 'print the version')
    .option('--json', 'print the result of any command as JSON')
    .hook('preAction', (program) => {
      if (program.opts().json === true) context.terminal.useJson();
    })
    .helpOption('-h, --help', 'print this help')
    .addHelpText(
      'after',
      `
Results go to stdout: a table on a terminal, one line of JSON if stdout is piped or --json is given.
Progress and messages go to stderr, as lines of JSON if it is piped.
${exitCodeHelp}

Examples:
  $ entity-search migrate
  $ entity-search import ./data
  $ entity-search reindex
  $ entity-search help import`,
    );
  const only = named === undefined || !Object.hasOwn(commands, named) ? undefined : commands[named];
  for (const load of only === undefined ? Object.values(commands) : [only]) {
    const makeCommand = await load();
    program.addCommand(makeCommand(context));
  }
  configureCommand(program, context);
  return program;
}

// Commander writes and exits by itself unless each command, at every depth, is configured otherwise.
function configureCommand(command: Command, context: CommandContext): void {
  const { stdout, stderr } = context.terminal;
  command.exitOverride();
  command.showSuggestionAfterError();
  command.showHelpAfterError('(add --help for usage)');
  command.configureOutput({
    writeOut: (text) => void stdout.write(text),
    writeErr: (text) => void stderr.write(text),
    getOutHelpWidth: () => (stdout.isTTY ? process.stdout.columns : 80),
    getOutHasColors: () => stdout.isTTY === true,
    getErrHasColors: () => stderr.isTTY === true,
  });
  for (const child of command.commands) configureCommand(child, context);
}
