import { entitySearch } from '../../dev/lib/command-line.ts';
import { startConnectedApi } from '../support/api/connected.ts';
import { startApiProcess } from '../support/api/process.ts';
import { succeed } from '../support/commands.ts';
import { openOwnWorld } from '../support/engines/worlds.ts';
import { closedAfterFile, forFile } from '../support/for-file.ts';
import { makeCertificates, startTlsProxy } from '../support/proxies/tls.ts';
import { oneCompany, setStage } from '../support/stages/api.ts';

// Both programs reach Elasticsearch by TLS with a private authority, and authenticate. The embedded engine has no
// security, so a proxy in front of it adds TLS and authentication.

const apiKey = 'VnVhQ2ZHY0JDZGJrUW0tZTVhT3g6dWkybHAyYXhUTm1zeWFrdzl0dk5udw==';

const stage = await forFile(setStage(oneCompany, openOwnWorld));
const certificates = await closedAfterFile(makeCertificates('IP:127.0.0.1'), async (made) => made[Symbol.dispose]());
const proxy = await forFile(startTlsProxy(stage.elasticsearchUrl, certificates, `ApiKey ${apiKey}`));

const secured = () => ({
  DATABASE_URL: stage.databaseUrl,
  INDEX_PREFIX: stage.indexPrefix,
  ELASTICSEARCH_URL: proxy.url,
  ELASTICSEARCH_CA_FILE: certificates.caFile,
  ELASTICSEARCH_API_KEY: apiKey,
});

function without(env: Readonly<Record<string, string>>, name: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).filter(([each]) => each !== name));
}

async function search(env: Readonly<Record<string, string>>) {
  await using api = await startConnectedApi(env);
  const headers = { authorization: `Bearer ${await stage.createKey()}` };
  const answer = await fetch(`${api.url}/api/v1/search?type=companies&query=quartz`, { headers });
  const text = await answer.text();
  return { status: answer.status, text, log: JSON.stringify(api.log) };
}

test('the API searches over TLS with its key, and sends no other credential', async () => {
  proxy.seen.length = 0;
  const { status, text } = await search(secured());
  expect([status, text]).toEqual([200, expect.stringContaining('Quartz Ledger')]);
  expect(new Set(proxy.seen)).toEqual(new Set([`ApiKey ${apiKey}`]));
});

test('an API key takes precedence over user and password in the URL, which are sent without one', async () => {
  const withUser = proxy.url.replace('https://', 'https://reader:p%40ss@');
  expect((await search({ ...secured(), ELASTICSEARCH_URL: withUser })).status).toBe(200);
  const basic = `Basic ${Buffer.from('reader:p@ss').toString('base64')}`;
  await using other = await startTlsProxy(stage.elasticsearchUrl, certificates, basic);
  const env = without(
    { ...secured(), ELASTICSEARCH_URL: other.url.replace('//', '//reader:p%40ss@') },
    'ELASTICSEARCH_API_KEY',
  );
  expect((await search(env)).status).toBe(200);
  expect(new Set(other.seen)).toEqual(new Set([basic]));
});

test('the indexer reindexes, follows, verifies and reports over TLS', async () => {
  const env = secured();
  // The index that searches use was made by the test itself.
  const reindex = ['reindex', 'companies', '--take-over'];
  for (const command of [reindex, ['sync', '--once', 'companies'], ['verify', 'companies'], ['status']]) {
    await succeed(env, ...command);
  }
});

describe('problems are reported as sentences, and never with the key', () => {
  test.each([
    ['no authority', 'ELASTICSEARCH_CA_FILE', /unable to (verify|get)|self-signed/],
    ['no credentials', 'ELASTICSEARCH_API_KEY', /missing authentication credentials/],
  ])('%s', async (_title, missing, words) => {
    const env = without(secured(), missing);
    const { status, log, text } = await search(env);
    expect(status).toBeGreaterThanOrEqual(500);
    expect(log).toMatch(words);
    expect(text).not.toMatch(words);
    const { code, err } = await entitySearch(['status'], env);
    expect([code, err]).toEqual([1, expect.stringMatching(words)]);
    const { out } = await entitySearch(['doctor', '--json'], env);
    expect(out).toMatch(words);
    expect(log + err + out).not.toContain(apiKey);
  });

  test('a wrong key', async () => {
    const env = { ...secured(), ELASTICSEARCH_API_KEY: 'd3Jvbmc6d3Jvbmc=' };
    const { status, log } = await search(env);
    expect(status).toBeGreaterThanOrEqual(500);
    expect(log).toMatch(/unable to authenticate/);
    const { code, err } = await entitySearch(['status'], env);
    expect([code, err]).toEqual([1, expect.stringMatching(/unable to authenticate/)]);
    const { out } = await entitySearch(['doctor', '--json'], env);
    expect(out).toMatch(/Correct ELASTICSEARCH_API_KEY/);
  });

  test('an untrusted certificate authority, and a certificate for another host', async () => {
    using others = makeCertificates('IP:127.0.0.1');
    const { code, err } = await entitySearch(['status'], { ...secured(), ELASTICSEARCH_CA_FILE: others.caFile });
    expect([code, err]).toEqual([1, expect.stringMatching(/certificate|signature|verify/)]);
    using elsewhere = makeCertificates('DNS:search.example.com');
    await using wrongHost = await startTlsProxy(stage.elasticsearchUrl, elsewhere, `ApiKey ${apiKey}`);
    const named = await entitySearch(['status'], {
      ...secured(),
      ELASTICSEARCH_URL: wrongHost.url,
      ELASTICSEARCH_CA_FILE: elsewhere.caFile,
    });
    expect([named.code, named.err]).toEqual([1, expect.stringMatching(/not in the cert's list/)]);
    expect(wrongHost.seen).toEqual([]);
  });

  test('a missing or invalid file for the certificate authority', async () => {
    for (const [file, words] of [
      [
        '/nowhere/ca.crt',
        /^ELASTICSEARCH_CA_FILE: \/nowhere\/ca\.crt cannot be used \(ENOENT\); give the PEM file.*\n$/,
      ],
      [certificates.keyFile, /^ELASTICSEARCH_CA_FILE: \S+ cannot be used \(it holds no certificate\)/],
    ] as const) {
      const env = { ...secured(), ELASTICSEARCH_CA_FILE: file };
      await using api = startApiProcess(env, { isMain: true });
      expect(await api.ended).toEqual({ code: 1, words: expect.stringMatching(words) });
      const run = await entitySearch(['status'], env);
      expect([run.code, run.err]).toEqual([1, expect.stringContaining('ELASTICSEARCH_CA_FILE')]);
      const { out } = await entitySearch(['doctor', '--json'], env);
      expect(out).toMatch(/"check":"elasticsearch","level":"fail","found":"ELASTICSEARCH_CA_FILE/);
    }
  });
});
