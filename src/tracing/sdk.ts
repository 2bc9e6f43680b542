import { context, propagation, trace as tracer } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { KoaInstrumentation, KoaLayerType } from '@opentelemetry/instrumentation-koa';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { register } from 'import-in-the-middle/register-hooks.mjs';
import type { SamplerName, TracingConfig } from '../tracing-config.ts';
import { withoutSecrets } from './without-secrets.ts';

/** Asked all day long by machines; a trace of each would bury the others. */
const untraced = ['/api/health', '/metrics'];

/**
 * Traces requests, statements and searches from now on, and sends what was traced by OTLP.
 * Resolves to what ends that.
 */
export function trace(config: TracingConfig, name: string): () => Promise<void> {
  const exporter = config.json ? new JsonExporter() : new ProtobufExporter();
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': name }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(config),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: withoutSecrets(exporter), scheduledDelayMillis: config.delayMs }),
    ],
  });
  tracer.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  // Elasticsearch's client traces by itself. The others are put around their modules as these are loaded.
  register({ include: ['http', 'node:http', 'https', 'node:https', 'koa', '@koa/router', 'pg', 'pg-pool'] });
  registerInstrumentations({
    tracerProvider: provider,
    instrumentations: [
      new HttpInstrumentation({
        ignoreIncomingRequestHook: ({ url = '' }) => untraced.includes(url.split('?')[0] ?? ''),
        requireParentforOutgoingSpans: true,
      }),
      new KoaInstrumentation({ ignoreLayersType: [KoaLayerType.MIDDLEWARE] }),
      // What goes on beside the requests would make traces of one statement each.
      new PgInstrumentation({ requireParentSpan: true }),
    ],
  });
  return async () => {
    try {
      await provider.shutdown();
    } catch (error) {
      // The receiver is away: the process ends all the same, and says so to whoever watches it.
      process.stderr.write(`The last traces could not be sent: ${String(error)}\n`);
    }
  };
}

function samplerOf({ sampler, ratio }: TracingConfig): Sampler {
  const samplers: Record<SamplerName, () => Sampler> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
    parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
    parentbased_traceidratio: () => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
  };
  return samplers[sampler]();
}
