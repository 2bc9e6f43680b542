import type { LocalAccount } from 'viem/accounts';
import { z } from 'zod';

export interface AccountAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as JSON; null if it is something else. */
  readonly body: unknown;
  readonly text: string;
}

export interface RequestOptions {
  readonly body?: unknown;
  /** Headers that add to or replace those of a page; undefined removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** A client that behaves like a browser on the account's pages: it keeps cookies and sends its origin. */
export interface AccountClient {
  readonly origin: string;
  readonly cookies: Map<string, string>;
  /** @param path from `/account/api/` on */
  request(method: string, path: string, options?: RequestOptions): Promise<AccountAnswer>;
  get(path: string): Promise<AccountAnswer>;
  post(path: string, body?: unknown): Promise<AccountAnswer>;
  /** Signs in with a private key. Throws if the server refuses. */
  signIn(account: LocalAccount): Promise<AccountAnswer>;
}

const challengeSchema = z.object({ data: z.object({ message: z.string() }) });

/** Creates a client without cookies. `origin` is the console's, such as `http://localhost:3000`. */
export function accountClient(origin: string): AccountClient {
  const cookies = new Map<string, string>();
  const request: AccountClient['request'] = async (method, path, options = {}) => {
    const response = await fetch(`${origin}/account/api/${path}`, {
      method,
      headers: headersOf(method, origin, cookies, options),
      redirect: 'manual',
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    });
    keepCookies(cookies, response.headers.getSetCookie());
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: jsonOf(response, text) };
  };
  const post: AccountClient['post'] = (path, body = {}) => request('POST', path, { body });
  return {
    origin,
    cookies,
    request,
    get: (path) => request('GET', path),
    post,
    async signIn(account) {
      const challenge = await post('wallets/challenge', { address: account.address, purpose: 'sign-in' });
      if (challenge.status !== 200) throw new Error(`No challenge: ${challenge.status} ${challenge.text}`);
      const { message } = challengeSchema.parse(challenge.body).data;
      const answer = await post('sign-in/wallet', { message, signature: await account.signMessage({ message }) });
      if (answer.status !== 200) throw new Error(`No sign-in: ${answer.status} ${answer.text}`);
      return answer;
    },
  };
}

function headersOf(
  method: string,
  origin: string,
  cookies: ReadonlyMap<string, string>,
  { body, headers = {} }: RequestOptions,
): Record<string, string> {
  const sent: Record<string, string | undefined> = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(method === 'GET' ? {} : { origin, 'sec-fetch-site': 'same-origin' }),
    ...(cookies.size === 0 ? {} : { cookie: Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ') }),
    ...headers,
  };
  return Object.fromEntries(
    Object.entries(sent).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function keepCookies(cookies: Map<string, string>, lines: readonly string[]): void {
  for (const line of lines) {
    const [pair = '', ...attributes] = line.split('; ');
    const name = pair.slice(0, pair.indexOf('='));
    const gone = attributes.some(
      (attribute) => /^max-age=0$/i.test(attribute) || /^expires=thu, 01.jan.1970/i.test(attribute),
    );
    if (gone) cookies.delete(name);
    else cookies.set(name, pair.slice(name.length + 1));
  }
}

function jsonOf(response: Response, text: string): unknown {
  if (!(response.headers.get('content-type') ?? '').startsWith('application/json') || text === '') return null;
  const body: unknown = JSON.parse(text);
  return body;
}
