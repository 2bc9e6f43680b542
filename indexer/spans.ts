import { type Span, SpanStatusCode, trace } from '@opentelemetry/api';
import { codeOf } from './errors.ts';
import type { StepName } from './generations/model.ts';

// Has no effect without a receiver of traces: only `main.ts` loads the code that records and sends.

const tracer = trace.getTracer('entity-search-indexer');

/** Names of our spans: few, so that they can be compared. Their attributes have the details. */
export type SpanName = 'reindex' | `reindex ${StepName}` | 'sync round' | `entity-search ${string}`;

/** Attributes of a span: names of kinds and states, and numbers; `src/tracing` exports no others. */
export interface SpanFacts {
  readonly kind?: string;
  readonly state?: string;
  readonly rows?: number;
  readonly documents?: number;
  readonly changes?: number;
  readonly dead_letters?: number;
  readonly exit_code?: number;
}

/** Runs work in its own span, as part of the current span if there is one. Throws the error of the work. */
export function inSpan<Result>(
  name: SpanName,
  facts: SpanFacts,
  work: (span: WorkSpan) => Promise<Result>,
): Promise<Result> {
  return tracer.startActiveSpan(name, { attributes: named(facts) }, async (span) => {
    try {
      return await work(workSpan(span));
    } catch (error) {
      // Not its message: that quotes rows and documents.
      workSpan(span).fail(codeOf(error) ?? (error instanceof Error ? error.name : 'unknown'));
      throw error;
    } finally {
      span.end();
    }
  });
}

export interface WorkSpan {
  tell(facts: SpanFacts): void;
  /** Marks the work as failed, for work that does not throw; one word. */
  fail(how: string): void;
}

function workSpan(span: Span): WorkSpan {
  return {
    tell: (facts) => void span.setAttributes(named(facts)),
    fail(how) {
      span.setAttribute('error.type', how);
      span.setStatus({ code: SpanStatusCode.ERROR });
    },
  };
}

function named(facts: SpanFacts): Record<string, string | number> {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [`entity_search.${name}`, value]));
}
