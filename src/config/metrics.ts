import { z } from 'zod';
import { type Environment, optionalText, parseSettings, textOr } from './settings.ts';

const portHelp = 'must be "off", or a port: a whole number, 65535 at most, 0 for any free one';

const port = optionalText.pipe(
  z
    .string()
    .default('off')
    .transform((text, context) => {
      if (text === 'off') return null;
      const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
      if (number <= 65_535) return number;
      context.addIssue({ code: 'custom', message: portHelp, input: text });
      return z.NEVER;
    }),
);

export const metricsVariables = z.object({
  METRICS_PORT: port.meta({
    allowed: '`off`, `0` – `65535`',
    default: '`off`',
    description:
      'Port that serves metrics to Prometheus; 0 takes a free one, which the log names. Processes on one machine need a port each.',
  }),
  METRICS_HOST: textOr('127.0.0.1').describe('Address of that port. There is no authentication, so keep it private.'),
});

/** Where a process offers its metrics. */
export interface MetricsConfig {
  readonly host: string;
  readonly port: number;
}

/** Of both processes. Null: it offers none. Throws `SettingsError`. */
export function metricsConfig(env: Environment): MetricsConfig | null {
  const given = parseSettings(metricsVariables, env);
  return given.METRICS_PORT === null ? null : { host: given.METRICS_HOST, port: given.METRICS_PORT };
}

/** How often a process looks how far the indices are behind, and how long that may take; in milliseconds. */
export interface LagConfig {
  readonly everyMs: number;
  readonly timeoutMs: number;
}

export const lagLimits: LagConfig = { everyMs: 2_000, timeoutMs: 1_000 };
