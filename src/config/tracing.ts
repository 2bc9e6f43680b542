import { z } from 'zod';
import { type Environment, optionalText, parseSettings, webAddress } from './settings.ts';

const receiver = webAddress('http://127.0.0.1:4318');
const ratio = optionalText.pipe(
  z
    .string()
    .regex(/^(?:0|1|[01]?\.\d+)$/, { error: 'must be a share between 0 and 1, such as 0.1' })
    .default('1')
    .transform((text) => Math.min(1, Number(text))),
);

export const tracingVariables = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: receiver.describe('Address to which traces are sent. Setting it turns them on.'),
  OTEL_TRACES_SAMPLER_ARG: ratio.meta({
    allowed: '`0` – `1`',
    default: '`1`',
    description: 'Share of requests, steps and commands that are traced, unless the caller decides.',
  }),
});

function milliseconds(defaultMs: number) {
  return optionalText.pipe(
    z
      .string()
      .regex(/^\d{1,8}$/, { error: 'must be a whole number of milliseconds' })
      .default(String(defaultMs))
      .transform(Number),
  );
}

/**
 * OpenTelemetry documents these. The exporter reads its headers, compression and certificates by itself. The rest would
 * need OpenTelemetry's complete package for Node, which brings gRPC and Prometheus.
 */
const openTelemetryVariables = {
  OTEL_SDK_DISABLED: optionalText,
  OTEL_TRACES_EXPORTER: optionalText,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: receiver,
  OTEL_EXPORTER_OTLP_PROTOCOL: optionalText.pipe(
    z
      .enum(['http/protobuf', 'http/json'], {
        error: 'must be http/protobuf or http/json: other protocols are not supported',
      })
      .optional(),
  ),
  OTEL_BSP_SCHEDULE_DELAY: milliseconds(5_000),
  OTEL_EXPORTER_OTLP_TIMEOUT: milliseconds(10_000),
};

export const openTelemetryNames: readonly string[] = Object.keys(openTelemetryVariables);

const variables = tracingVariables.extend(openTelemetryVariables);

/** The tracing of a process. */
export interface TracingConfig {
  readonly json: boolean;
  /** The share of traces that are recorded, from 0 to 1. */
  readonly ratio: number;
  /** Time for which spans are collected before they are sent. */
  readonly delayMs: number;
  /** For sending them: also the longest that a dead receiver delays the exit of a process. */
  readonly timeoutMs: number;
}

/** Reads the environment. Null: nothing is traced. Throws `SettingsError`. */
export function tracingConfig(env: Environment): TracingConfig | null {
  const given = parseSettings(variables, env);
  const endpoint = given.OTEL_EXPORTER_OTLP_ENDPOINT ?? given.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const isOff = given.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || given.OTEL_TRACES_EXPORTER === 'none';
  if (endpoint === undefined || isOff) return null;
  return {
    json: given.OTEL_EXPORTER_OTLP_PROTOCOL === 'http/json',
    ratio: given.OTEL_TRACES_SAMPLER_ARG,
    delayMs: given.OTEL_BSP_SCHEDULE_DELAY,
    timeoutMs: given.OTEL_EXPORTER_OTLP_TIMEOUT,
  };
}
