import { z } from 'zod';
import { durationMs, type Environment, optionalText, parseSettings } from './settings.ts';

// The variables are OpenTelemetry's own. Its exporter reads the address and headers by itself.

const protocol = optionalText.pipe(
  z.enum(['http/protobuf', 'http/json'], { error: 'must be http/protobuf or http/json: others are not offered here' }),
);
const httpUrl = optionalText.pipe(
  z.url({ protocol: /^https?$/, error: 'must be an address such as http://127.0.0.1:4318' }).optional(),
);

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const variables = z.object({
  OTEL_SDK_DISABLED: optionalText,
  OTEL_TRACES_EXPORTER: optionalText.pipe(
    z.enum(['otlp', 'none'], { error: 'must be otlp or none: others are not offered here' }).optional(),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl,
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol.optional(),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol.optional(),
  OTEL_TRACES_SAMPLER: optionalText.pipe(
    z.enum(samplers, { error: `must be one of ${samplers.join(', ')}` }).default('parentbased_always_on'),
  ),
  OTEL_TRACES_SAMPLER_ARG: optionalText.pipe(
    z
      .string()
      .regex(/^(?:0|1|[01]?\.\d+)$/, { error: 'must be a share between 0 and 1, such as 0.1' })
      .default('1')
      .transform((text) => Math.min(1, Number(text))),
  ),
  OTEL_BSP_SCHEDULE_DELAY: durationMs({ min: 10, max: 60_000, default: 5_000 }),
  OTEL_EXPORTER_OTLP_TIMEOUT: durationMs({ min: 100, max: 60_000, default: 10_000 }),
});

export type SamplerName = (typeof samplers)[number];

/** How a process is traced. */
export interface TracingConfig {
  readonly json: boolean;
  readonly sampler: SamplerName;
  /** From 0 to 1, for samplers by ratio. */
  readonly ratio: number;
  /** How long spans are gathered before they are sent. */
  readonly delayMs: number;
  /** For sending them: also how long a receiver that is away holds the end of the process up. */
  readonly timeoutMs: number;
}

/** Null: nothing is traced, as long as no endpoint is named. Throws `SettingsError`. */
export function tracingConfig(env: Environment): TracingConfig | null {
  const given = parseSettings(variables, env);
  const wanted =
    given.OTEL_TRACES_EXPORTER ??
    ((given.OTEL_EXPORTER_OTLP_ENDPOINT ?? given.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) ? 'otlp' : 'none');
  if (given.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || wanted === 'none') return null;
  return {
    json: (given.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? given.OTEL_EXPORTER_OTLP_PROTOCOL) === 'http/json',
    sampler: given.OTEL_TRACES_SAMPLER,
    ratio: given.OTEL_TRACES_SAMPLER_ARG,
    delayMs: given.OTEL_BSP_SCHEDULE_DELAY,
    timeoutMs: given.OTEL_EXPORTER_OTLP_TIMEOUT,
  };
}
