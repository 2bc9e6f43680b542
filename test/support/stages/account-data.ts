import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { pino } from 'pino';
import { hashToken, newToken } from '../../../src/account/tokens.ts';
import { createApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config/api.ts';
import { connect } from '../../../src/connect.ts';
import { createHttpServer } from '../../../src/http/server/server.ts';
import { createRegistry } from '../../../src/metrics/registry.ts';
import { checkedAnswers } from '../api/checked-answers.ts';
import { realClock } from '../api/in-process.ts';
import { createTestDatabase } from '../engines/database.ts';
import { addRoles, asRole } from '../engines/service-roles.ts';

/** An answer of the account's API. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, where it is JSON. */
  // Tests look into whatever came; what is there is what they find out.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any;
}

/** Somebody who is signed in, at a browser. */
export interface SignedIn {
  readonly accountId: number;
  readonly sessionId: number;
  readonly cookie: string;
  get(path: string): Promise<Answer>;
  post(path: string, body?: object): Promise<Answer>;
  remove(path: string): Promise<Answer>;
}

/** A database of its own and the API on it, in this process and with the rights of its role. Elasticsearch is away. */
export interface AccountStage extends AsyncDisposable {
  readonly url: string;
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  /** Signs in to an account of this name, which is made where it is missing. */
  signIn(name: string, about?: { readonly plan?: string; readonly role?: 'operator' }): Promise<SignedIn>;
  /** Asks as nobody who is signed in. */
  ask(path: string, init?: RequestInit): Promise<Answer>;
  /** Ends the API's process, as far as it is one. */
  close(): Promise<void>;
}

export async function setAccountStage(env: Readonly<Record<string, string>> = {}): Promise<AccountStage> {
  await using resources = new AsyncDisposableStack();
  const database = resources.use(await createTestDatabase());
  await addRoles(database.url);
  const pool = resources.adopt(new pg.Pool({ connectionString: database.url, max: 3 }), (opened) => opened.end());
  const config = readConfig({
    DATABASE_URL: asRole(database.url, 'api'),
    ELASTICSEARCH_URL: 'http://127.0.0.1:1',
    ...env,
  });
  const connected = connect(config, realClock, pino({ level: 'silent' }), createRegistry());
  let closed: Promise<void> | undefined;
  const undocumented: string[] = [];
  const handler = checkedAnswers(createApp(connected.deps).callback(), (sentence) => void undocumented.push(sentence));
  const server = createHttpServer(handler, config.http, connected.deps.log);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = (): Promise<void> => {
    closed ??= (async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await connected.close();
    })();
    return closed;
  };
  resources.defer(close);
  const ask = (path: string, init?: RequestInit) => askAt(url, path, init);
  const owned = resources.move();
  return {
    url,
    databaseUrl: database.url,
    pool,
    ask,
    close,
    async signIn(name, { plan = 'starter', role = 'member' as 'member' | 'operator' } = {}) {
      const token = newToken();
      const { rows } = await pool.query<{ id: string; account_id: string }>(
        `with made as (
           insert into accounts (name, plan, role) values ($1, $2, $3) on conflict (name) do nothing returning id
         ), account as (select id from made union all select id from accounts where name = $1)
         insert into account_sessions (account_id, hash, method, ip, user_agent, expires_at)
         select id, $4, 'wallet', '127.0.0.1', 'test', now() + interval '1 day' from account limit 1
         returning id, account_id`,
        [name, plan, role, hashToken(token)],
      );
      const cookie = `entity_search_session=${token}`;
      const change = (method: string, path: string, body?: object) =>
        ask(path, {
          method,
          headers: { cookie, origin: url, ...(body && { 'content-type': 'application/json' }) },
          ...(body && { body: JSON.stringify(body) }),
        });
      return {
        accountId: Number(rows[0]?.account_id),
        sessionId: Number(rows[0]?.id),
        cookie,
        get: (path) => ask(path, { headers: { cookie } }),
        post: (path, body = {}) => change('POST', path, body),
        remove: (path) => change('DELETE', path),
      };
    },
    async [Symbol.asyncDispose]() {
      await owned.disposeAsync();
      expect(undocumented).toEqual([]);
    },
  };
}

/** @param path below /account/api/, or another one from the root */
async function askAt(url: string, path: string, init?: RequestInit): Promise<Answer> {
  const response = await fetch(`${url}${path.startsWith('/') ? path : `/account/api/${path}`}`, init);
  const { status, headers } = response;
  const text = await response.text();
  const isJson = headers.get('content-type')?.startsWith('application/json') ?? false;
  return { status, headers, text, body: isJson ? JSON.parse(text) : null };
}
