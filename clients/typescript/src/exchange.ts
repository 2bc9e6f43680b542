import {
  type AnswerError,
  ApiError,
  ConnectionFailedError,
  EntitySearchError,
  MissingCredentialsError,
  PaymentRefusedError,
  type Problem,
  UnexpectedAnswerError,
} from './errors.ts';
import type { Operation, Request } from './request.ts';
import { type Limits, Patience, repeatableStatuses, retryAfterOf, sleep } from './retry.ts';
import type { Purse, SignedPayment } from './spending.ts';
import { type Account, headerOf, pay, propertyOf, requiredIn } from './wallet.ts';

// One call:
//
//   request ──► 200 ──► the answer; a payment is charged
//      │ ▲
//      │ └── wait ◄── 429 or 503 with Retry-After; with a signed payment also no answer
//      │
//      └──► 402 ──► sign once, request with the payment; a second 402 ends it

/** Settings that all calls of a client share. */
export interface Settings {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly account: (() => Promise<Account>) | undefined;
  readonly purse: Purse;
  readonly limits: Limits;
  readonly fetch: typeof fetch;
}

export interface Call {
  readonly name: string;
  readonly operation: Operation;
  readonly request: Request;
  readonly signal: AbortSignal | undefined;
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Errors after which the server has taken nothing. */
const unchargedCodes: ReadonlySet<string> = new Set([
  'invalid_parameter',
  'malformed_request',
  'paid_search_off',
  'payment_identifier_used',
  'too_many_payments',
  'search_unavailable',
  'facilitator_unavailable',
  'chain_unavailable',
  'shutting_down',
  'overloaded',
  'rate_limited',
  'request_timeout',
  'headers_too_large',
  'expectation_failed',
]);

/** The pause before a paid request is repeated whose answer was lost. */
const unansweredWaitMs = 1_000;

/** Sends a call. Signs at most one payment for it, whatever the server answers. */
export async function exchange(settings: Settings, call: Call, resumed?: SignedPayment): Promise<unknown> {
  const sale = new Sale(settings.purse, call.request.target, resumed);
  try {
    return await attempts(settings, call, sale);
  } catch (error) {
    if (error instanceof EntitySearchError && sale.payment !== undefined) error.payment = sale.payment;
    throw error;
  }
}

async function attempts(settings: Settings, call: Call, sale: Sale): Promise<unknown> {
  const patience = new Patience(settings.limits);
  for (;;) {
    sale.sending();
    let reply: Reply;
    try {
      reply = await send(settings, call, sale.payment);
    } catch (error) {
      sale.unanswered();
      const waitMs = sale.payment === undefined ? null : patience.next(unansweredWaitMs);
      if (waitMs === null || !(error instanceof ConnectionFailedError)) throw error;
      await sleep(waitMs, call.signal);
      continue;
    }
    if (reply.status === 402 && call.operation.access === 'payment' && sale.payment === undefined) {
      sale.payment = await signed(settings, call, reply);
      continue;
    }
    if (isAnswer(reply, call.operation)) {
      const answer = readAnswer(reply, call.operation.answer);
      sale.charged(reply.headers);
      return answer;
    }
    const error = errorOf(reply);
    sale.failed(error);
    const waitMs = patience.next(repeatableStatuses.has(reply.status) ? retryAfterOf(reply.headers) : null);
    if (waitMs === null) throw error;
    await sleep(waitMs, call.signal);
  }
}

async function signed({ account, purse }: Settings, call: Call, reply: Reply): Promise<SignedPayment> {
  if (account === undefined) throw new MissingCredentialsError(`${call.name} is paid for: give the client a wallet`);
  const required = requiredIn(reply.headers.get('payment-required'), reply.body);
  return pay(await account(), purse, call.request.target, required);
}

async function send(settings: Settings, call: Call, payment: SignedPayment | undefined): Promise<Reply> {
  const { baseUrl, apiKey, limits } = settings;
  const { request, operation, signal } = call;
  const headers = new Headers({ Accept: 'application/json, text/*' });
  if (operation.access === 'key') {
    if (apiKey === undefined) throw new MissingCredentialsError(`${call.name} needs a key: give the client an apiKey`);
    headers.set('Authorization', `Bearer ${apiKey}`);
  }
  if (payment !== undefined) headers.set('PAYMENT-SIGNATURE', headerOf(payment.payload));
  if (request.body !== undefined) headers.set('Content-Type', 'application/json');
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(limits.timeoutMs);
  try {
    const response = await settings.fetch(baseUrl + request.target, {
      method: request.method,
      headers,
      redirect: 'manual',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      ...(request.body === undefined ? {} : { body: request.body }),
    });
    const body = await readBody(response, limits.answerBytes);
    return { status: response.status, headers: response.headers, body };
  } catch (error) {
    if (error instanceof EntitySearchError) throw error;
    signal?.throwIfAborted();
    if (timeout.aborted) throw new ConnectionFailedError(`No complete answer came within ${limits.timeoutMs} ms`);
    throw new ConnectionFailedError('No answer could be read: the address cannot be reached, or the connection broke', {
      cause: error,
    });
  }
}

async function readBody(response: Response, bytesMax: number): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > bytesMax) {
      await reader.cancel();
      throw new UnexpectedAnswerError(`The answer has more than ${bytesMax} bytes`, placeOf(response));
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Follows the payment of one call through its answers, and records its state in the purse. */
class Sale {
  payment: SignedPayment | undefined;
  readonly #purse: Purse;
  readonly #target: string;
  readonly #resumed: boolean;
  /** True while the payment may still be charged. */
  #open: boolean;
  #answers = 0;

  constructor(purse: Purse, target: string, payment: SignedPayment | undefined) {
    this.payment = payment;
    this.#purse = purse;
    this.#target = target;
    this.#resumed = payment !== undefined;
    this.#open = payment?.state === 'unknown';
  }

  /** Marks the payment as possibly charged, until an answer settles it. */
  sending(): void {
    if (this.payment !== undefined) this.#purse.open(this.payment);
  }

  unanswered(): void {
    this.#open = true;
    this.#answers += 1;
  }

  failed(error: AnswerError): void {
    if (this.payment === undefined) return;
    this.#answers += 1;
    const refused = error instanceof PaymentRefusedError;
    if (!refused && !(error instanceof ApiError && unchargedCodes.has(error.code))) this.#open = true;
    if (refused || !this.#open) this.#purse.settle(this.payment, 'refused');
  }

  charged(headers: Headers): void {
    if (this.payment === undefined) return;
    const earlier = headers.get('payment-replayed') === 'true' ? this.#earlier() : undefined;
    this.#purse.settle(earlier ?? this.payment, 'charged');
    // This answer was bought by an earlier payment whose answer never arrived.
    if (earlier !== undefined) this.#purse.settle(this.payment, 'refused');
  }

  /**
   * Returns a payment for the same search whose answer was lost. Only the first answer to a new payment can belong to
   * it.
   */
  #earlier(): SignedPayment | undefined {
    if (this.#resumed || this.#answers > 0) return undefined;
    return this.#purse.unresolved.find((each) => each.target === this.#target && each !== this.payment);
  }
}

/** Returns true for a success. Health has the same body with 503 as with 200; a 503 of another form is an error. */
function isAnswer(reply: Reply, { answer, statuses }: Operation): boolean {
  if (reply.status === 200) return true;
  if (answer === null || !statuses.includes(reply.status)) return false;
  const body = jsonOf(reply);
  return answer.every((field) => propertyOf(body, field) !== undefined);
}

function readAnswer(reply: Reply, fields: readonly string[] | null): unknown {
  if (fields === null) {
    if (typeOf(reply).startsWith('text/')) return reply.body;
    throw new UnexpectedAnswerError('The answer is not a text', placeOf(reply));
  }
  const answer = jsonOf(reply);
  if (answer === undefined) {
    throw new UnexpectedAnswerError(
      'The answer is not JSON: baseUrl may not be the address of the API',
      placeOf(reply),
    );
  }
  const missing = fields.filter((field) => propertyOf(answer, field) === undefined);
  if (missing.length === 0) return answer;
  throw new UnexpectedAnswerError(`The answer lacks ${missing.join(', ')}`, placeOf(reply));
}

function errorOf(reply: Reply): AnswerError {
  // A browser does not show where a redirect leads, and calls its status 0.
  if (reply.status === 0 || (reply.status >= 300 && reply.status < 400)) {
    return new UnexpectedAnswerError(
      'The server leads to another address, which is not followed: correct baseUrl',
      placeOf(reply),
    );
  }
  const body = jsonOf(reply);
  const [error, code] = [propertyOf(body, 'error'), propertyOf(body, 'code')];
  if (typeof error !== 'string' || typeof code !== 'string') {
    return new UnexpectedAnswerError('The answer is not one of this API', placeOf(reply));
  }
  const parts = {
    ...placeOf(reply),
    code: readable(code).slice(0, 100),
    details: problemsOf(propertyOf(body, 'details')),
    retryAfterMs: retryAfterOf(reply.headers),
  };
  return new (reply.status === 402 ? PaymentRefusedError : ApiError)(readable(error), parts);
}

function problemsOf(details: unknown): readonly Problem[] {
  if (!Array.isArray(details)) return [];
  return details.flatMap((each) => {
    const [path, message] = [propertyOf(each, 'path'), propertyOf(each, 'message')];
    if (typeof path !== 'string' || typeof message !== 'string') return [];
    return [{ path: readable(path), message: readable(message) }];
  });
}

function jsonOf(reply: Reply): unknown {
  if (typeOf(reply) !== 'application/json') return undefined;
  try {
    return JSON.parse(reply.body);
  } catch {
    return undefined;
  }
}

function typeOf({ headers }: Reply): string {
  return (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

function placeOf({ status, headers }: { readonly status: number; readonly headers: Headers }) {
  const id = headers.get('x-request-id') ?? '';
  return { status, requestId: /^[\x21-\x7e]{1,128}$/.test(id) ? id : null };
}

/** Returns a text of limited length without control characters of terminals. */
function readable(text: string): string {
  return text.slice(0, 2_000).replace(/[\p{Cc}\p{Cf}]/gu, ' ');
}
