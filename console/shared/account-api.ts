/** The path of the account's API, at the origin of the pages. */
export const apiPath = '/account/api';

/** A failed request, with a message for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** 0 if the server did not answer. */
  readonly status: number;
  /** The server's, or `unreachable`. */
  readonly code: string;
  readonly retryAfterSeconds: number | null;

  constructor(message: string, status: number, code: string, retryAfterSeconds: number | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Longer than every time limit of the server, so that its error arrives first. */
const timeoutMs = 30_000;

/**
 * Sends a request to the account's API and returns `data` of the answer. Throws `ApiError`, or the reason of `signal`.
 * The type of `data` is not checked: the process that answers has served this script, and its tests check its answers
 * against their schemas.
 * @param path below `/account/api/`
 */
async function request<Data>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  { body, signal }: { readonly body?: object; readonly signal?: AbortSignal } = {},
): Promise<Data> {
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
  let failure: ApiError;
  try {
    const response = await fetch(`${apiPath}/${path}`, init);
    status = response.status;
    const answer: unknown = await response.json();
    if (response.ok && isObject(answer) && 'data' in answer) return answer.data as Data;
    failure = refusal(response, answer);
  } catch (error) {
    if (signal?.aborted) throw error;
    const message = 'The server did not answer. Check your connection, then try again.';
    failure = new ApiError(message, status, 'unreachable');
  }
  throw failure;
}

export const get = <Data>(path: string, signal?: AbortSignal) =>
  request<Data>('GET', path, signal === undefined ? {} : { signal });
export const post = <Data = object>(path: string, body: object = {}) => request<Data>('POST', path, { body });
export const remove = (path: string) => request<object>('DELETE', path);

function refusal({ status, headers }: Response, answer: unknown): ApiError {
  const { error, code } = isObject(answer) ? answer : {};
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  return new ApiError(
    typeof error === 'string' ? error : `The server answered with status ${status}. Try again in a moment.`,
    status,
    typeof code === 'string' ? code : 'unknown',
    Number.isFinite(seconds) ? seconds : null,
  );
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
