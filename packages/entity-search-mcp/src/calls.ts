import { setTimeout as delay } from 'node:timers/promises';
import type { SignedPayment } from '../../../clients/typescript/src/spending.ts';
import type { Log } from './log.ts';
import type { Payer } from './payer.ts';
import { paymentRequiredIn } from './payment-required.ts';
import type { Service, ServiceResult } from './service.ts';
import { ServiceError } from './service-error.ts';

/** Sends `tools/call` and returns its result. Throws only if the call was cancelled or is not valid. */
export type CallTool = (params: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<ServiceResult>;

/** Waits some milliseconds. Rejects if the signal aborts. */
type Wait = (ms: number, signal: AbortSignal) => Promise<void>;
const waitInTime: Wait = (ms, signal) => delay(ms, undefined, { signal });

const paymentKey = 'x402/payment';
/** The number of times a paid call is repeated, with the same payment, after a lost answer. */
const repeatsMax = 2;
const repeatAfterMs = 1_000;

const repeatHint =
  'If you make the same call again within five minutes, the same payment is used and nothing is paid twice.';

/** Forwards calls without a wallet. The caller may pay by itself in `_meta`, as x402 describes. */
export function forwardCalls(service: Service, hint: string | null): CallTool {
  return async (params, signal) => {
    const result = await answered(() => service.request('tools/call', params, signal), signal);
    return hint === null || paymentRequiredIn(result) === null ? result : withText(result, hint);
  };
}

/** Pays for calls with a wallet: an offer is paid within the limits, once per call, and the call is repeated. */
export function payForCalls(service: Service, payer: Payer, log: Log, wait: Wait = waitInTime): CallTool {
  const forward = forwardCalls(service, null);
  return async (params, signal) => {
    // A caller that brings a payment pays by itself.
    if (metaOf(params)[paymentKey] !== undefined) return forward(params, signal);
    const call = JSON.stringify([params.name, params.arguments]);
    const earlier = payer.unresolved(call);
    const first = earlier === undefined ? await forward(params, signal) : await send(earlier);
    const required = paymentRequiredIn(first);
    if (required === null) return earlier === undefined ? first : settled(earlier, first);
    if (earlier !== undefined) payer.settle(earlier, 'refused');
    const payment = await payer.pay(call, required);
    return typeof payment === 'string' ? failure(payment) : settled(payment, await send(payment));

    async function send({ payload }: SignedPayment): Promise<ServiceResult> {
      const paid = { ...params, _meta: { ...metaOf(params), [paymentKey]: payload } };
      return answered(
        () => repeated(() => service.request('tools/call', paid, signal), wait, signal),
        signal,
        repeatHint,
      );
    }

    /** Records the outcome of a payment from the result of its call. */
    function settled(payment: SignedPayment, result: ServiceResult): ServiceResult {
      const refused = paymentRequiredIn(result);
      if (refused !== null) {
        payer.settle(payment, 'refused');
        const reason = refused.error ?? 'no reason given';
        log.warn(`a payment was refused: ${reason.slice(0, 300)}`);
        return failure(
          `The payment was refused, and this call signs no other. The service's reason: ${reason.slice(0, 500)}`,
        );
      }
      if (result.isError === true) return withText(result, repeatHint);
      payer.settle(payment, 'charged');
      return result;
    }
  };
}

function metaOf({ _meta }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return typeof _meta === 'object' && _meta !== null ? { ..._meta } : {};
}

/** Repeats an attempt whose answer was lost. */
async function repeated<T>(attempt: () => Promise<T>, wait: Wait, signal: AbortSignal): Promise<T> {
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted || !(error instanceof ServiceError) || repeats >= repeatsMax) throw error;
      await wait(repeatAfterMs * (repeats + 1), signal);
    }
  }
}

/** Turns an unreachable service into a failed call, which the model can read, instead of a protocol error. */
async function answered(request: () => Promise<ServiceResult>, signal: AbortSignal, hint = ''): Promise<ServiceResult> {
  try {
    return await request();
  } catch (error) {
    if (signal.aborted || !(error instanceof ServiceError)) throw error;
    return failure(`${error.message} ${hint}`.trim());
  }
}

export function failure(text: string): ServiceResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

function withText(result: ServiceResult, text: string): ServiceResult {
  const content: readonly unknown[] = Array.isArray(result.content) ? result.content : [];
  return { ...result, content: [...content, { type: 'text', text }] };
}
