/** A browser as a server sees one: it keeps cookies, and names the requesting page. */
export interface Browser {
  readonly cookies: ReadonlyMap<string, string>;
  /** @param path below /account/api/ */
  get(path: string): Promise<Answered>;
  post(path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Answered>;
  delete(path: string): Promise<Answered>;
  /** Keeps a cookie such as `name=value`. */
  take(cookie: string): void;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  /** Data of a success. */
  // biome-ignore lint/suspicious/noExplicitAny: what it holds is what tests go on to find out
  readonly data: any;
  /** Code of a refusal. */
  readonly code: string | undefined;
  readonly error: string | undefined;
}

/** @param cookie of a session that was begun already */
export function newBrowser(url: string, cookie?: string, origin = url): Browser {
  const cookies = new Map<string, string>();

  function take(text: string): void {
    const [pair = ''] = text.split(';');
    const at = pair.indexOf('=');
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
    if (value === '') cookies.delete(name);
    else cookies.set(name, value);
  }

  async function ask(method: string, path: string, init: RequestInit = {}): Promise<Answered> {
    const response = await fetch(`${url}/account/api/${path}`, {
      ...init,
      method,
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(method === 'GET' ? {} : { origin, 'sec-fetch-site': 'same-origin' }),
        ...init.headers,
      },
    });
    for (const set of response.headers.getSetCookie()) take(set);
    // Tests check the content of the answer themselves.
    const body = (await response.json()) as { data?: unknown; code?: string; error?: string };
    return { status: response.status, headers: response.headers, data: body.data, code: body.code, error: body.error };
  }

  if (cookie !== undefined) take(cookie);
  return {
    cookies,
    take,
    get: (path) => ask('GET', path),
    post: (path, body = {}, headers = {}) =>
      ask('POST', path, {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    delete: (path) => ask('DELETE', path),
  };
}
