const path = '/api/v1/x402/search';

/** An answer of the paid route, with parsed payment headers. */
export interface PaidAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
  readonly required: unknown;
  /** PAYMENT-RESPONSE. */
  readonly receipt: Receipt | null;
}

export interface Receipt {
  readonly success: boolean;
  readonly transaction: string;
  readonly network: string;
  readonly payer: string;
  readonly errorReason?: string;
}

interface Body {
  readonly error?: string;
  readonly code?: string;
  readonly data?: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** One request to the paid route; `query` is a query string without its question mark. */
export async function getPaid(
  url: string,
  query: string,
  header?: string,
  options: { readonly signal?: AbortSignal } = {},
): Promise<PaidAnswer> {
  const response = await fetch(`${url}${path}?${query}`, {
    headers: header === undefined ? {} : { 'PAYMENT-SIGNATURE': header },
    ...options,
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text === '' ? {} : JSON.parse(text),
    required: decoded(response.headers.get('PAYMENT-REQUIRED')),
    receipt: decoded(response.headers.get('PAYMENT-RESPONSE')) as Receipt | null,
  };
}

function decoded(header: string | null): unknown {
  return header === null ? null : JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
}

/** Checks a 402: it can't be cached, and header and body agree. */
export function expectPaymentRequired(answer: PaidAnswer, code: string): void {
  expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 402, code });
  expect(answer.headers.get('Cache-Control')).toBe('no-store');
  expect(answer.required).toEqual(answer.body);
}

/** Checks a 503 or 429: it has a time to retry, and no internals. */
export function expectRetry(answer: PaidAnswer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code });
  expect(answer.headers.get('Cache-Control')).toBe('no-store');
  expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect(answer.text).not.toMatch(/10\.0\.0\.7|ECONN|fetch failed|127\.0\.0\.1|0x[0-9a-f]{64}/);
}

export function expectServed(answer: PaidAnswer): { readonly transaction: string } {
  expect({ status: answer.status, body: answer.body.error }).toEqual({ status: 200, body: undefined });
  expect(answer.headers.get('Cache-Control')).toBe('no-store');
  const { receipt } = answer;
  expect(receipt).toMatchObject({ success: true, network: 'eip155:84532' });
  const transaction = receipt?.transaction ?? '';
  expect(transaction).toMatch(/^0x[0-9a-f]{64}$/);
  expect(answer.body.meta).toMatchObject({
    transaction,
    payer: receipt?.payer,
    network: 'eip155:84532',
    price_paid: '10000',
    price_paid_usd: '0.01',
  });
  return { transaction };
}
