import { explainError, RefusedError } from '../indexer/errors.ts';
import { SettingsError } from '../src/config/settings.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';

/** Ends a command with a message (the problem and the next step) and an exit code. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = exitCodes.failed, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CommandError';
    this.exitCode = exitCode;
  }
}

export function commandFailure(error: unknown): { readonly text: string; readonly exitCode: ExitCode } {
  if (error instanceof CommandError) return { text: error.message, exitCode: error.exitCode };
  const text = explainError(error);
  if (error instanceof SettingsError) return { text, exitCode: exitCodes.usage };
  return { text, exitCode: error instanceof RefusedError ? exitCodes.refused : exitCodes.failed };
}
