import { type Context, context, propagation, SpanKind, TraceFlags, trace as tracer } from '@opentelemetry/api';
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
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { register } from 'import-in-the-middle/register-hooks.mjs';
import type { TracingConfig } from '../config/tracing.ts';
import { withTimeout } from '../lib/sleep.ts';
import { withoutSecrets } from './without-secrets.ts';

/** Asked all day long by machines; a trace of each would bury the others. */
const untraced = ['/api/health', '/metrics'];

/**
 * Traces requests, statements and searches from now on, and sends what was traced by OTLP. Answers what ends that,
 * within the time that sending may take.
 */
export function trace(config: TracingConfig, name: string): () => Promise<void> {
  const { timeoutMs, delayMs } = config;
  const limits = { timeoutMillis: timeoutMs };
  const exporter = config.json ? new JsonExporter(limits) : new ProtobufExporter(limits);
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': name }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: onlyBelow(new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(config.ratio) })),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: withoutSecrets(exporter),
        scheduledDelayMillis: delayMs,
        exportTimeoutMillis: timeoutMs,
      }),
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
      // Background work would create a trace for each statement.
      new PgInstrumentation({ requireParentSpan: true }),
    ],
  });
  return async () => {
    try {
      // The sender's own time-out counts from when each try begins.
      const sent = await withTimeout(timeoutMs, false, () => provider.shutdown().then(() => true));
      if (!sent) throw new Error(`the receiver did not answer within ${timeoutMs} ms`);
    } catch (error) {
      // The process ends even if the receiver does not answer.
      process.stderr.write(`The last traces could not be sent: ${String(error)}\n`);
    }
  };
}

/**
 * Returns a sampler that leaves out requests of background work, which Elasticsearch's client would trace one by one.
 */
function onlyBelow(sampler: Sampler): Sampler {
  return {
    shouldSample(above, traceId, name, kind, attributes, links) {
      if (kind === SpanKind.CLIENT && !isTraced(above)) return { decision: SamplingDecision.NOT_RECORD };
      return sampler.shouldSample(above, traceId, name, kind, attributes, links);
    },
    toString: () => String(sampler),
  };
}

function isTraced(above: Context): boolean {
  const flags = tracer.getSpanContext(above)?.traceFlags ?? TraceFlags.NONE;
  return (flags & TraceFlags.SAMPLED) !== 0;
}
