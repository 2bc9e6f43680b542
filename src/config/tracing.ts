import { z } from 'zod';
import { durationMs, type Environment, oneOf, optionalText, parseSettings, webAddress } from './settings.ts';

// The variables are OpenTelemetry's own. Its exporter reads the address and headers by itself.

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const otherHelp = 'others are not offered here';
const exporter = optionalText.pipe(
  z.enum(['otlp', 'none'], { error: `must be otlp or none: ${otherHelp}` }).optional(),
);
const protocol = optionalText.pipe(
  z.enum(['http/protobuf', 'http/json'], { error: `must be http/protobuf or http/json: ${otherHelp}` }).optional(),
);
const receiver = webAddress('http://127.0.0.1:4318');
const ratio = optionalText.pipe(
  z
    .string()
    .regex(/^(?:0|1|[01]?\.\d+)$/, { error: 'must be a share between 0 and 1, such as 0.1' })
    .default('1')
    .transform((text) => Math.min(1, Number(text))),
);

export const tracingVariables = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: receiver.describe('Where traces are sent. Setting it turns them on.'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: receiver.describe('The same with its whole path.'),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol.meta({
    allowed: '`http/protobuf`, `http/json`',
    default: '`http/protobuf`',
    description: 'How traces are encoded.',
  }),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol.meta({
    allowed: '`http/protobuf`, `http/json`',
    default: 'none',
    description: 'Takes precedence over it.',
  }),
  OTEL_TRACES_EXPORTER: exporter.meta({
    allowed: '`otlp`, `none`',
    default: '`otlp` if an endpoint is set, else `none`',
    description: '`otlp` without an endpoint sends to port 4318 of this machine.',
  }),
  OTEL_SDK_DISABLED: optionalText.meta({
    allowed: '`true`, `false`',
    default: '`false`',
    description: '`true`: no traces, whatever else is set.',
  }),
  OTEL_TRACES_SAMPLER: oneOf(samplers).meta({
    default: '`parentbased_always_on`',
    description: 'Which requests, steps and commands are traced.',
  }),
  OTEL_TRACES_SAMPLER_ARG: ratio.meta({
    allowed: '`0` – `1`',
    default: '`1`',
    description: 'The share that samplers by ratio take.',
  }),
  OTEL_BSP_SCHEDULE_DELAY: durationMs({ min: 10, max: 60_000, default: 5_000 }).describe(
    'How long spans are gathered before they are sent.',
  ),
  OTEL_EXPORTER_OTLP_TIMEOUT: durationMs({ min: 100, max: 60_000, default: 10_000 }).describe(
    'Time limit for sending; also the longest that a dead receiver delays the exit of a process.',
  ),
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
  const given = parseSettings(tracingVariables, env);
  const wanted =
    given.OTEL_TRACES_EXPORTER ??
    ((given.OTEL_EXPORTER_OTLP_ENDPOINT ?? given.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) ? 'otlp' : 'none');
  if (given.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || wanted === 'none') return null;
  return {
    json: (given.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? given.OTEL_EXPORTER_OTLP_PROTOCOL) === 'http/json',
    sampler: given.OTEL_TRACES_SAMPLER ?? 'parentbased_always_on',
    ratio: given.OTEL_TRACES_SAMPLER_ARG,
    delayMs: given.OTEL_BSP_SCHEDULE_DELAY,
    timeoutMs: given.OTEL_EXPORTER_OTLP_TIMEOUT,
  };
}
