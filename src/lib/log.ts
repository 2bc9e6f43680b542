import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import type { LogLevel } from '../config/engines.ts';

/** Any text with the form of an API key, wherever it was put by mistake. */
const keyLike = /es_(live|test)_[0-9A-Za-z]+/g;

export function withoutKeys(text: string): string {
  if (!text.includes('es_')) return text;
  return text.replace(keyLike, 'es_$1_[redacted]');
}

/** Maximum depth of logged causes. Deeper ones repeat earlier ones. */
const causesMax = 3;

/**
 * Returns an error for the log: its name, message, code, stack and causes. Other properties are left out, because
 * errors of client libraries contain the failed request with its credentials.
 */
export function describeError(error: unknown, depth = 0): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: withoutKeys(String(error)) };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const cause = error.cause === undefined || depth >= causesMax ? {} : { cause: describeError(error.cause, depth + 1) };
  return {
    type: error.name,
    message: withoutKeys(error.message),
    ...code,
    stack: withoutKeys(error.stack ?? ''),
    ...cause,
  };
}

/**
 * Returns the messages of an error and its causes as one line for the log, each once. Failures of other systems are
 * expected, so their stacks are not logged.
 */
export function causeText(error: unknown): string {
  const parts: string[] = [];
  let next: unknown = error;
  for (let depth = 0; next !== undefined && depth <= causesMax; depth += 1) {
    parts.push(...ownText(next));
    next = next instanceof Error ? next.cause : undefined;
  }
  return withoutKeys([...new Set(parts)].join(': '));
}

function ownText(error: unknown): readonly string[] {
  // A host with several addresses fails once per address, and the outer error has no message.
  if (error instanceof AggregateError) return error.errors.flatMap(ownText);
  if (!(error instanceof Error)) return [typeof error === 'string' ? error : 'not an error'];
  return [error.message === '' ? error.name : error.message];
}

const secretNames = ['authorization', 'Authorization', 'cookie', 'key', 'apiKey', 'password'];

/** Creates the logger: JSON lines with ISO 8601 times. It redacts secrets by name, up to two levels deep. */
export function createLogger(level: LogLevel, destination: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      redact: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
    },
    destination,
  );
}
