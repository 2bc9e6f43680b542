import { type AccountAnswer, accountClient } from '../../../dev/lib/account-client.ts';

/** A client that behaves like a browser: it keeps cookies, and names the requesting page. */
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
  /** The data of a successful answer. */
  // biome-ignore lint/suspicious/noExplicitAny: what it holds is what tests go on to find out
  readonly data: any;
  /** The code of an error. */
  readonly code: string | undefined;
  readonly error: string | undefined;
}

/** @param cookie of an existing session */
export function newBrowser(url: string, cookie = ''): Browser {
  const { cookies, request } = accountClient(url);
  const take = (text: string): void => {
    const at = text.indexOf('=');
    cookies.set(text.slice(0, at), text.slice(at + 1));
  };
  if (cookie !== '') take(cookie);
  return {
    cookies,
    take,
    get: async (path) => answered(await request('GET', path)),
    post: async (path, body = {}, headers = {}) => answered(await request('POST', path, { body, headers })),
    delete: async (path) => answered(await request('DELETE', path)),
  };
}

function answered({ status, headers, body }: AccountAnswer): Answered {
  // Tests check the content of the answer themselves.
  return { status, headers, ...(body as Pick<Answered, 'data' | 'code' | 'error'>) };
}
