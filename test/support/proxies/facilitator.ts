import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Random } from '../../../dev/torture/random.ts';
import { send, startLoopback } from './loopback.ts';

export type FacilitatorPath = 'verify' | 'settle';

/**
 * Handles one request to the facilitator. `forward` queries the real one and resolves to its answer's text;
 * `answer` sends a given answer; `reset` cuts the connection; without any of them the caller hangs.
 */
export interface Exchange {
  forward(): Promise<string>;
  answer(status: number, body: string, type?: string): void;
  reset(): void;
}

export type Behaviour = (exchange: Exchange) => Promise<void> | void;

/** A real facilitator behind a proxy that can make single requests fail. */
export interface FacilitatorProxy extends AsyncDisposable {
  readonly url: string;
  readonly asked: Record<FacilitatorPath, number>;
  /** Sets the behaviour for the next `times` requests of a path. After them, requests are forwarded again. */
  next(path: FacilitatorPath, behaviour: Behaviour, times?: number): void;
  /** Sets the behaviour for all further requests of a path. */
  always(path: FacilitatorPath, behaviour: Behaviour): void;
  /** Stops listening: connections are refused until `listen`. */
  refuse(): Promise<void>;
  listen(): Promise<void>;
}

export const pass: Behaviour = async (exchange) => exchange.answer(200, await exchange.forward());

/** Behaviours that tests share. */
export const faults = {
  reset: (exchange: Exchange) => exchange.reset(),
  hang: () => undefined,
  error: (exchange: Exchange) => exchange.answer(500, '{"error":"boom at 10.0.0.7"}'),
  html: (exchange: Exchange) => exchange.answer(502, '<html>Bad gateway 10.0.0.7</html>', 'text/html'),
  garbage: (exchange: Exchange) => exchange.answer(200, '{"isValid": tr'),
  shape: (exchange: Exchange) => exchange.answer(200, '{"valid":"yes","success":"yes"}'),
  busy: (exchange: Exchange) => exchange.answer(429, '{"error":"slow down"}'),
  /** The facilitator does its work, and its answer is lost. */
  cutAfter: async (exchange: Exchange) => {
    await exchange.forward();
    exchange.reset();
  },
  hangAfter: async (exchange: Exchange) => {
    await exchange.forward();
  },
  /** The answer reports a pending settlement although it has landed. */
  pendingError: async (exchange: Exchange) => {
    const answer = JSON.parse(await exchange.forward()) as object;
    exchange.answer(500, JSON.stringify({ ...answer, success: false, errorReason: 'settlement_pending' }));
  },
} as const satisfies Record<string, Behaviour>;

/** Fails sometimes, in one of several ways. */
export const moody =
  (random: Random, probability: number, ...troubles: readonly [Behaviour, ...Behaviour[]]): Behaviour =>
  (exchange) =>
    (random.chance(probability) ? random.pick(troubles) : pass)(exchange);

/** A settlement that is refused for a reason, without being sent. */
export const saying =
  (errorReason: string): Behaviour =>
  (exchange) =>
    exchange.answer(200, JSON.stringify({ success: false, errorReason, transaction: '', network: 'eip155:84532' }));

export async function startFacilitatorProxy(target: string): Promise<FacilitatorProxy> {
  const asked = { verify: 0, settle: 0 };
  const queue: Record<FacilitatorPath, Behaviour[]> = { verify: [], settle: [] };
  const usual: Record<FacilitatorPath, Behaviour> = { verify: pass, settle: pass };
  const server = await startLoopback((request, response) => {
    const path: FacilitatorPath = request.url === '/settle' ? 'settle' : 'verify';
    asked[path] += 1;
    const behaviour = queue[path].shift() ?? usual[path];
    void exchangeOf(target, path, request, response).then(behaviour);
  });
  return {
    url: server.url,
    asked,
    next: (path, behaviour, times = 1) => void queue[path].push(...Array.from({ length: times }, () => behaviour)),
    always: (path, behaviour) => {
      usual[path] = behaviour;
    },
    refuse: server.close,
    listen: server.listen,
    [Symbol.asyncDispose]: server.close,
  };
}

async function exchangeOf(
  target: string,
  path: FacilitatorPath,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Exchange> {
  const body = await text(request);
  return {
    async forward() {
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`${target}/${path}`, { method: 'POST', headers, body })).text();
    },
    answer: (status, answer, type) => send(response, status, answer, type),
    reset: () => response.socket?.resetAndDestroy(),
  };
}
