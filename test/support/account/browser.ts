import { accountClient, type RequestOptions } from '../../../dev/lib/account-client.ts';
import type * as passkeys from './authenticator.ts';

/** A client that behaves like a browser: it keeps cookies, and names the requesting page. */
export interface Browser {
  readonly cookies: Map<string, string>;
  /** @param path below /account/api/ */
  request(method: string, path: string, options?: RequestOptions): Promise<Answered>;
  get(path: string): Promise<Answered>;
  post(path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Answered>;
  delete(path: string): Promise<Answered>;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The whole JSON. */
  readonly body: unknown;
  readonly data: AnsweredData;
  readonly code: string | undefined;
  readonly error: string | undefined;
  readonly details: unknown;
}

interface Row {
  readonly id: number;
  readonly name: string;
  readonly action: string;
  readonly calls: number;
  readonly state: string;
  readonly created_at: string;
  readonly expires_at: string;
}

/** The parts of all answers that tests read. Each test expects those of its answer. */
export interface AnsweredData extends Omit<Row, 'calls'> {
  readonly account: Row;
  readonly accounts: readonly Row[];
  readonly audit: { readonly finished_at: string | null };
  readonly calls: readonly Row[];
  readonly events: readonly Row[];
  readonly generations: readonly Row[];
  readonly key: string;
  readonly keys: readonly Row[];
  readonly message: string;
  readonly next: number | null;
  readonly options: passkeys.CreationOptions & passkeys.RequestOptions & { readonly allowCredentials: unknown };
  readonly payments: readonly Row[];
  readonly plan: string;
  readonly plans: readonly Row[];
  readonly prefix: string;
  readonly replaces: Row;
  readonly session: { readonly id: number; readonly confirmed: boolean };
  readonly sessions: readonly Row[];
  readonly sign_in: object;
  readonly sign_up: string;
  readonly signed_in: boolean;
  readonly until: string;
  readonly wallets: readonly Row[];
}

/** @param cookie of an existing session */
export function newBrowser(url: string, cookie = ''): Browser {
  const { cookies, request } = accountClient(url);
  const [name = '', value = ''] = cookie.split('=');
  if (name !== '') cookies.set(name, value);
  const ask: Browser['request'] = async (method, path, options) => {
    const answer = await request(method, path, options);
    // Tests check the content of the answer themselves.
    return { ...(answer.body as Pick<Answered, 'data' | 'code' | 'error' | 'details'>), ...answer };
  };
  return {
    cookies,
    request: ask,
    get: (path) => ask('GET', path),
    post: (path, body = {}, headers = {}) => ask('POST', path, { body, headers }),
    delete: (path) => ask('DELETE', path),
  };
}

export function refusalOf({ status, code }: Answered): { readonly status: number; readonly code: string | undefined } {
  return { status, code };
}
