import pg from 'pg';
import { createTestAccount, createTestKey } from '../../../dev/lib/api-accounts.ts';
import { type ConnectedApi, startConnectedApi } from '../api/connected.ts';
import { createTestDatabase } from '../engines/database.ts';

/** A new database with a few entities, without Elasticsearch. */
export interface AccessStage extends AsyncDisposable {
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  createAccount(perMinute: number | null, perMonth: number | null): Promise<{ id: number; plan: string; key: string }>;
  createKey(account: string): Promise<string>;
  /** Starts an API on this database, or on another address of it. */
  startApi(env?: Readonly<Record<string, string>>): Promise<ConnectedApi>;
}

const entities = `
  insert into companies (id, name, slug, tags, total_funding_usd, founded_date) values
    (1, 'Quartz Ledger', 'quartz-ledger', '{Ledgers}', 1250000.5, '2019-03-31'),
    (2, 'Tidal Works', 'tidal-works', '{}', null, null),
    (7, 'Seven', '8', '{}', null, null),
    (8, 'Eight', 'eight', '{}', null, null),
    (9007199254740991, 'Last', 'last', '{}', null, null);
  insert into people (id, name, slug) values (1, 'Ada Example', 'ada-example'), (3, 'Bo Example', 'bo-example');
  insert into investors (id, name, slug) values (1, 'Fund One', 'fund-one');
  insert into events (id, name, slug, start_date) values (1, 'Summit', 'summit', '2026-05-04');`;

export async function setAccessStage(): Promise<AccessStage> {
  await using resources = new AsyncDisposableStack();
  const database = resources.use(await createTestDatabase());
  const pool = resources.adopt(new pg.Pool({ connectionString: database.url, max: 3 }), (opened) => opened.end());
  await pool.query(entities);
  let accounts = 0;
  const owned = resources.move();
  return {
    databaseUrl: database.url,
    pool,
    createKey: (account) => createTestKey(pool, account),
    async createAccount(perMinute, perMonth) {
      accounts += 1;
      const plan = `plan${accounts}`;
      const { accountId, key } = await createTestAccount(pool, plan, perMinute, perMonth);
      return { id: accountId, plan, key };
    },
    startApi: (env = {}) =>
      startConnectedApi({ DATABASE_URL: database.url, ELASTICSEARCH_URL: 'http://127.0.0.1:1', ...env }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
