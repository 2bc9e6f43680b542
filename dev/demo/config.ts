import { z } from 'zod';
import { optionalText } from '../../src/config/settings.ts';

export interface DemoConfig {
  readonly port: number;
  /** The folder of NDJSON files; undefined for the project's own fictional sample. */
  readonly data: string | undefined;
  readonly state: string;
  /** If set, the demo uses an existing database and deletes nothing there. */
  readonly ownDatabase: boolean;
  /** The user allows the sample in a database or cluster that is not the demo's. */
  readonly intoExisting: boolean;
  readonly limitPerMinute: number | null;
}

const variables = z.object({
  PORT: optionalText
    .refine((text) => text === undefined || (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535), {
      error: 'must be a port number from 1 to 65535',
    })
    .transform((text) => (text === undefined ? 3000 : Number(text))),
  DATA: optionalText,
  STATE: optionalText,
  DATABASE_URL: optionalText,
  DEMO_LIMIT_PER_MINUTE: optionalText
    .refine((text) => text === undefined || /^[1-9]\d{0,8}$/.test(text), { error: 'must be a whole number from 1' })
    .transform((text) => (text === undefined ? null : Number(text))),
});

/** An invalid setting in the environment. The message is one sentence for people. */
export class DemoConfigError extends Error {
  override readonly name = 'DemoConfigError';
}

/** Reads PORT, DATA, STATE, DATABASE_URL and DEMO_LIMIT_PER_MINUTE, and `--into-existing`. Throws `DemoConfigError`. */
export function demoConfig(
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[] = [],
): DemoConfig {
  const unknown = args.find((arg) => arg !== '--into-existing');
  if (unknown !== undefined) throw new DemoConfigError(`${unknown} isn't an option; there is --into-existing.`);
  const parsed = variables.safeParse(env);
  if (!parsed.success) {
    throw new DemoConfigError(
      parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}.`).join(' '),
    );
  }
  return {
    port: parsed.data.PORT,
    data: parsed.data.DATA,
    state: parsed.data.STATE ?? '.local/demo',
    ownDatabase: parsed.data.DATABASE_URL !== undefined,
    intoExisting: args.includes('--into-existing'),
    limitPerMinute: parsed.data.DEMO_LIMIT_PER_MINUTE,
  };
}
