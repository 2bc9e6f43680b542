import { withApiLimits } from '../../../dev/lib/limits.ts';
import { companyRecord } from '../../../src/kinds/companies.ts';
import { eventRecord } from '../../../src/kinds/events.ts';
import { investorRecord } from '../../../src/kinds/investors.ts';
import { personRecord } from '../../../src/kinds/people.ts';
import { json } from '../../support/api/in-process.ts';
import { forFile } from '../../support/for-file.ts';
import { setAccessStage } from '../../support/stages/access.ts';

// Section 4.2 on a real Postgres, without any Elasticsearch.

/** Reached while a table is locked. */
const statementTimeoutMs = 1_500;

const stage = await forFile(setAccessStage());
const limits = { postgres: { statementTimeoutMs } };
const { url } = await forFile(stage.startApi(withApiLimits({}, limits)));
const { key } = await stage.createAccount(null, null);

interface BulkBody {
  readonly success: boolean;
  readonly message: string;
  readonly data: {
    readonly results: Readonly<Record<string, unknown>>;
    readonly requested_count: number;
    readonly metadata?: { readonly processed_at: string; readonly processing_time_ms: number };
    readonly errors?: unknown;
  };
}

async function bulk(body: object): Promise<BulkBody> {
  const response = await post(body);
  expect(response.status).toBe(200);
  return json<BulkBody>(response);
}

function post(body: object): Promise<Response> {
  return fetch(`${url}/api/v1/bulk`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const last = Number.MAX_SAFE_INTEGER;

test('get returns whole records in request order, each once, without missing ones', async () => {
  const body = { operation: 'get', entity_type: 'companies', identifiers: [last, 2, 999, 1, 2] };
  const { data, message } = await bulk(body);
  const records = companyRecord.array().parse(data.results.companies);
  expect(records.map(({ id }) => id)).toEqual([last, 2, 1]);
  const known = { total_funding_usd: '1250000.50', founded_date: '2019-03-31' };
  expect(records[2]).toMatchObject({ name: 'Quartz Ledger', tags: ['Ledgers'], ...known, tagline: null });
  expect(data).toMatchObject({ operation: 'get', entity_type: 'companies', requested_count: 5 });
  expect(message).toBe('Bulk get of 5 companies: 3 found.');
  expect(data.errors).toBeUndefined();
  expect(data.metadata?.processed_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(Number.isInteger(data.metadata?.processing_time_ms)).toBe(true);
});

test.each([
  ['people', personRecord, 2],
  ['investors', investorRecord, 1],
  ['events', eventRecord, 1],
])('get returns records of %s', async (kind, schema, there) => {
  const { data } = await bulk({ operation: 'get', entity_type: kind, identifiers: [3, 1] });
  expect(schema.array().parse(data.results[kind])).toHaveLength(there);
});

const hundred = Array.from({ length: 100 }, (_, at) => at + 1);
const asked = [2, 999, 1, 2];
const named = [
  { id: last, slug: 'last', exists: true },
  { id: null, slug: 'no', exists: false },
];

test.each([
  ['id', 2, asked, asked.map((id) => ({ id, exists: id !== 999 }))],
  ['slug, with its id', 1, ['last', 'no'], named],
])('exists returns one item per %s, in request order', async (_title, found, identifiers, companies) => {
  const { data, message } = await bulk({ operation: 'exists', entity_type: 'companies', identifiers });
  expect(data.results).toEqual({ companies });
  expect(data.metadata).toBeUndefined();
  expect(message).toBe(`Bulk exists of ${identifiers.length} companies: ${found} found.`);
});

test.each([
  ['people', [1, 1, 2, 3], 2],
  ['companies', hundred, 4],
])('count returns the number of existing %s, each once', async (kind, identifiers, count) => {
  const { data, message } = await bulk({ operation: 'count', entity_type: kind, identifiers });
  expect(data).toMatchObject({ results: { [kind]: { count } }, requested_count: identifiers.length });
  expect(message).toBe(`Bulk count of ${identifiers.length} ${kind}: ${count} found.`);
});

const eightThenSeven = [
  { id: 8, name: 'Eight' },
  { id: 7, name: 'Seven' },
];

test.each([
  // Id is always there.
  [[1], ['slug', 'updated_at', 'slug'], [{ id: 1, slug: 'quartz-ledger', updated_at: expect.stringMatching(/Z$/) }]],
  // A slug of digits is a slug.
  [['eight', '8', 'nowhere', 'eight'], ['name'], eightThenSeven],
])('get with fields %j returns the fields %j', async (identifiers, fields, companies) => {
  const { data } = await bulk({ operation: 'get', entity_type: 'companies', identifiers, fields });
  expect(data.results).toEqual({ companies });
});

test('a request sends one statement', async () => {
  for (const operation of ['get', 'exists', 'count']) {
    const { rows } = await stage.pool.query(
      `select count(distinct query)::int as statements from pg_stat_activity
       where application_name = 'entity-search api' and datname = current_database()`,
    );
    expect(rows[0]?.statements).toBeLessThanOrEqual(1);
    await bulk({ operation, entity_type: 'investors', identifiers: hundred });
  }
});

describe('200 (partial): a statement fails', () => {
  test.each([
    ['get', []],
    ['exists', []],
    ['count', { count: null }],
  ])('%s times out at a lock: success, errors, and an empty result', async (operation, empty) => {
    const blocker = await stage.pool.connect();
    try {
      await blocker.query('begin; lock table people in access exclusive mode');
      const { success, data, message } = await bulk({ operation, entity_type: 'people', identifiers: [1] });
      expect(success).toBe(true);
      expect(data.results).toEqual({ people: empty });
      expect(data.errors).toEqual([
        {
          entity_type: 'people',
          error: 'The entities could not be fetched in time: send fewer identifiers, or retry later.',
        },
      ]);
      expect(data.metadata !== undefined).toBe(operation === 'get');
      expect(message).toBe(`Bulk ${operation} of 1 person: failed, see errors.`);
    } finally {
      await blocker.query('rollback');
      blocker.release();
    }
    expect((await bulk({ operation: 'count', entity_type: 'people', identifiers: [1] })).data.errors).toBeUndefined();
  });

  test('any other failure of a statement is reported, too, and not charged', async () => {
    await stage.pool.query('alter table investors rename to investors_away');
    try {
      const response = await post({ operation: 'exists', entity_type: 'investors', identifiers: [1] });
      expect([response.status, response.headers.get('X-Request-Cost')]).toEqual([200, '0']);
      const { data } = await json<BulkBody>(response);
      expect(data).toMatchObject({
        results: { investors: [] },
        errors: [{ entity_type: 'investors', error: 'The entities could not be fetched: retry later.' }],
      });
    } finally {
      await stage.pool.query('alter table investors_away rename to investors');
    }
  });

  test('a locked table delays no key lookup', async () => {
    const blocker = await stage.pool.connect();
    try {
      await blocker.query('begin; lock table people in access exclusive mode');
      const stuck = Array.from({ length: 20 }, () =>
        post({ operation: 'get', entity_type: 'people', identifiers: [1] }),
      );
      const { key: fresh } = await stage.createAccount(10, null);
      const usage = await fetch(`${url}/api/v1/usage`, { headers: { authorization: `Bearer ${fresh}` } });
      expect(usage.status).toBe(200);
      await Promise.all(stuck);
    } finally {
      await blocker.query('rollback');
      blocker.release();
    }
  });
});
