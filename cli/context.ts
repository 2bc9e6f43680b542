import type { Command } from 'commander';
import type { Logger } from 'pino';
import type { Limits } from '../indexer/limits.ts';
import type { Environment } from '../src/config/settings.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** The context that `main` passes to a command. */
export interface CommandContext {
  readonly env: Environment;
  readonly limits: Limits;
  readonly terminal: Terminal;
  /** JSON lines on stderr if that is piped; silent on a terminal unless LOG_LEVEL is set. */
  readonly log: Logger;
  /** Aborted by the first SIGINT or SIGTERM; the second one ends the process at once. */
  readonly signal: AbortSignal;
  exitWith(code: ExitCode): void;
}

/** The export of a command's file; `cli.ts` lists them. */
export type MakeCommand = (context: CommandContext) => Command;
