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
      'Port of the metrics for Prometheus; `0` picks a free one, which the log names. Processes on one machine need different ports.',
  }),
  METRICS_HOST: textOr('127.0.0.1').describe(
    'Address on which metrics are served. There is no authentication, so keep it private.',
  ),
});

/** The address of a process's metrics. */
export interface MetricsConfig {
  readonly host: string;
  readonly port: number;
}

/** Returns the address of the metrics, or null if they are off. Throws `SettingsError`. */
export function metricsConfig(env: Environment): MetricsConfig | null {
  const given = parseSettings(metricsVariables, env);
  return given.METRICS_PORT === null ? null : { host: given.METRICS_HOST, port: given.METRICS_PORT };
}

/** The interval and timeout, in milliseconds, of measuring index lag. */
export interface LagConfig {
  readonly everyMs: number;
  readonly timeoutMs: number;
}

export const lagLimits: LagConfig = { everyMs: 2_000, timeoutMs: 1_000 };
