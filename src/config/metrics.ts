import { z } from 'zod';
import { durationMs, type Environment, optionalText, parseSettings } from './settings.ts';

const portHelp = 'must be "off", or a port: a whole number, 65535 at most, 0 for any free one';

const variables = z.object({
  METRICS_HOST: optionalText.pipe(z.string().default('127.0.0.1')),
  METRICS_PORT: optionalText.pipe(
    z
      .string()
      .default('off')
      .transform((text, context) => {
        if (text === 'off') return null;
        const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
        if (port <= 65_535) return port;
        context.addIssue({ code: 'custom', message: portHelp, input: text });
        return z.NEVER;
      }),
  ),
});

/** Where a process offers its metrics. */
export interface MetricsConfig {
  readonly host: string;
  readonly port: number;
}

/** Of both processes. Null: it offers none. Throws `SettingsError`. */
export function metricsConfig(env: Environment): MetricsConfig | null {
  const { METRICS_HOST: host, METRICS_PORT: port } = parseSettings(variables, env);
  return port === null ? null : { host, port };
}

const lagVariables = z.object({
  INDEX_LAG_EVERY_MS: durationMs({ min: 100, max: 300_000, default: 2_000 }),
  INDEX_LAG_TIMEOUT_MS: durationMs({ min: 50, max: 10_000, default: 1_000 }),
});

/** How often a process looks how far the indices are behind, and how long that may take; in milliseconds. */
export interface LagConfig {
  readonly everyMs: number;
  readonly timeoutMs: number;
}

/** Of both processes. Throws `SettingsError`. */
export function lagConfig(env: Environment): LagConfig {
  const given = parseSettings(lagVariables, env);
  return { everyMs: given.INDEX_LAG_EVERY_MS, timeoutMs: given.INDEX_LAG_TIMEOUT_MS };
}
