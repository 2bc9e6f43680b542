/** The path of the account's API, at the origin of the pages. */
export const apiPath = '/account/api';

/** `data` of an answer, or the reason why there is none. */
export type Answer<Data> = { readonly ok: true; readonly data: Data } | Refusal;

export interface Refusal {
  readonly ok: false;
  /** 0 if the server did not answer. */
  readonly status: number;
  readonly code: string;
  /** A message for people. */
  readonly message: string;
  readonly retryAfterSeconds: number | null;
}

/** Longer than every time limit of the server, so that its error arrives first. */
const timeoutMs = 30_000;

interface RequestOptions {
  readonly body?: object | undefined;
  readonly signal?: AbortSignal;
}

/**
 * Sends a request to the account's API. Rejects only if `signal` is aborted. The type of `data` is not checked: the
 * process that answers has served this script, and its tests check its answers against their schemas.
 * @param path below `/account/api/`
 */
export async function request<Data>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  { body, signal }: RequestOptions = {},
): Promise<Answer<Data>> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const init: RequestInit = {
    method,
    credentials: 'same-origin',
    cache: 'no-store',
    redirect: 'error',
    headers: { Accept: 'application/json', ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  let status = 0;
  try {
    const response = await fetch(`${apiPath}/${path}`, init);
    status = response.status;
    const answer: unknown = await response.json();
    if (response.ok && isObject(answer) && 'data' in answer) return { ok: true, data: answer.data as Data };
    return refusal(response, answer);
  } catch (error) {
    if (signal?.aborted) throw error;
    const message = 'The server did not answer. Check your connection, then try again.';
    return { ok: false, status, code: 'unreachable', message, retryAfterSeconds: null };
  }
}

function refusal({ status, headers }: Response, answer: unknown): Refusal {
  const { error, code } = isObject(answer) ? answer : {};
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  return {
    ok: false,
    status,
    code: typeof code === 'string' ? code : 'unknown',
    message: typeof error === 'string' ? error : `The server answered with status ${status}. Try again in a moment.`,
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : null,
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
