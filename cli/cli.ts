import { Command, CommanderError } from 'commander';
import { defaultLimits, type Limits } from '../indexer/limits.ts';
import type { CommandContext, MakeCommand } from './context.ts';
import { commandFailure } from './errors.ts';
import { type ExitCode, exitCodeHelp, exitCodes } from './exit-codes.ts';

type Listed = readonly [description: string, load: () => Promise<{ readonly makeCommand: MakeCommand }>];

// Commands in the order of the help: a new installation needs them in this order. Each is loaded only when it is
// called: the program's help needs no more than these descriptions, and the modules of the others (a chain's client, the
// payments) would cost a reindex a fifth of its memory.
const commands: Readonly<Record<string, Listed>> = {
  migrate: ['create or upgrade the database schema', () => import('./commands/migrate.ts')],
  triggers: ['print triggers for your own tables', () => import('./commands/triggers.ts')],
  import: ['load entities from NDJSON files', () => import('./commands/import.ts')],
  embed: ['create missing vectors', () => import('./commands/embed.ts')],
  plan: ['show what a reindex would change, and whether it is needed', () => import('./commands/plan.ts')],
  reindex: ['build new indices from Postgres and point searches at them', () => import('./commands/reindex.ts')],
  sync: ['apply changes in Postgres to the indices, until stopped', () => import('./commands/sync.ts')],
  verify: [
    'compare every row with its document, and find documents without a row',
    () => import('./commands/verify.ts'),
  ],
  repair: ['verify, repair exactly what differs, and verify again', () => import('./commands/repair.ts')],
  status: [
    'show generations: which is live, how far behind each is, and which process uses it',
    () => import('./commands/status.ts'),
  ],
  rollback: ['point searches at the previous generation, in one step', () => import('./commands/rollback.ts')],
  'dead-letters': ['list and retry documents that Elasticsearch rejected', () => import('./commands/dead-letters.ts')],
  explain: ['explain why the first hits of a search rank where they do', () => import('./commands/explain.ts')],
  doctor: ['check everything this installation depends on, and print what to do', () => import('./commands/doctor.ts')],
  plans: ['list, create and change plans: how much an account may call', () => import('./commands/access/plans.ts')],
  accounts: [
    'list, create and change accounts; invite people and show usage',
    () => import('./commands/access/accounts.ts'),
  ],
  keys: ['list, create, rotate and revoke API keys', () => import('./commands/access/keys.ts')],
  payments: [
    'list, show, reconcile, audit and export payments for searches',
    () => import('./commands/payments/payments.ts'),
  ],
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
    const [first, second] = args.filter((arg) => !arg.startsWith('-'));
    const named = first === 'help' ? second : first;
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

/** Builds the program with the named command; the others have only what a help text or a suggestion needs. */
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
  for (const [name, [description, load]] of Object.entries(commands)) {
    const command = name === named ? (await load()).makeCommand(context) : new Command(name);
    program.addCommand(command.description(description));
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
