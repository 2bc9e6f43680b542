import { facilitatorHandler } from '../../../dev/chain/facilitator/handler.ts';
import { expectRemedies, runDoctor } from '../../support/doctor.ts';
import { startEmbeddingServer } from '../../support/embeddings/embedding-server.ts';
import { createTestDatabase } from '../../support/engines/database.ts';
import { forFile } from '../../support/for-file.ts';
import { requiredEnv } from '../../support/jest/required-env.ts';
import { payTo } from '../../support/payments/payers.ts';
import { startLoopback } from '../../support/proxies/loopback.ts';
import { setChainStage } from '../../support/stages/chain.ts';

// `entity-search doctor` on an installation without indices: its findings about services other than the engines.

const database = await forFile(createTestDatabase());
const chain = await forFile(setChainStage());
const env = {
  DATABASE_URL: database.url,
  ELASTICSEARCH_URL: requiredEnv('TEST_ELASTICSEARCH_URL'),
  INDEX_PREFIX: 'doctor-services-',
};

const doctor = (more: Readonly<Record<string, string>>) => runDoctor({ ...env, ...more });

test('embeddings are checked as valid, misconfigured and down', async () => {
  await using server = await startEmbeddingServer({ dimension: 8, model: 'some-model' });
  const settings = { EMBEDDINGS: server.url, EMBEDDINGS_MODEL: 'some-model', EMBEDDINGS_DIMENSION: '8' };
  const whole = await doctor(settings);
  expect(whole.of('embeddings')).toMatchObject([{ level: 'ok', found: 'some-model makes vectors of 8 numbers.' }]);
  const wrong = await doctor({ ...settings, EMBEDDINGS_DIMENSION: '9' });
  expect(wrong.of('embeddings')).toMatchObject([
    { level: 'fail', found: expect.stringContaining('correct EMBEDDINGS_DIMENSION') },
  ]);
  await server.close();
  const away = await doctor(settings);
  expect(away.of('embeddings')).toMatchObject([{ level: 'warn', found: expect.stringContaining('does not answer') }]);
  expectRemedies([...wrong.findings, ...away.findings]);
});

test('paid search is checked as valid, on another chain, and down', async () => {
  await using facilitator = await startLoopback(facilitatorHandler(chain.chain, 1_000));
  const paid = { X402_PAY_TO: payTo, X402_RPC_URL: chain.chain, X402_FACILITATOR_URL: facilitator.url };
  const whole = await doctor(paid);
  expect([whole.of('facilitator')[0]?.level, whole.of("chain's node")[0]?.level]).toEqual(['ok', 'ok']);
  const other = await doctor({ ...paid, X402_NETWORK: 'eip155:8453' });
  expect(other.of('facilitator')).toMatchObject([
    { level: 'fail', found: expect.stringContaining('2 exact eip155:84532') },
  ]);
  expect(other.of("chain's node")).toMatchObject([{ level: 'fail', found: expect.stringContaining('chain 84532') }]);
  await using elsewhere = await startLoopback((_request, response) => {
    response.writeHead(307, { location: `${facilitator.url}/v2/supported` }).end();
  });
  const away = await doctor({ ...paid, X402_RPC_URL: 'http://127.0.0.1:1', X402_FACILITATOR_URL: elsewhere.url });
  expect([away.of('facilitator')[0]?.level, away.of("chain's node")[0]?.level]).toEqual(['fail', 'fail']);
  const { host } = new URL(facilitator.url);
  expect(away.of('facilitator')).toMatchObject([{ found: `It did not answer (it redirects to ${host}).` }]);
});

test.each([
  ['to its other name', 'NAME/path-canary/supported', 'redirects to localhost:'],
  ['to an invalid address', 'ftp://canary', 'redirects to an address that cannot be read'],
  ['without a location', undefined, 'status 308'],
])('a facilitator that answers 308 %s is reported and not followed', async (_, location, found) => {
  let followed = 0;
  await using target = await startLoopback((_request, response) => {
    followed += 1;
    response.end('{"kinds":[]}');
  });
  await using bare = await startLoopback((_request, response) => {
    const named = location?.replace('NAME', target.url.replace('127.0.0.1', 'user:pass-canary@localhost'));
    response.writeHead(308, named === undefined ? {} : { location: named }).end('moved');
  });
  const { of, code } = await doctor({
    X402_PAY_TO: payTo,
    X402_RPC_URL: chain.chain,
    X402_FACILITATOR_URL: `${bare.url}/path-canary`,
    X402_FACILITATOR_HEADERS: '{"authorization":"Bearer header-canary"}',
  });
  const [finding] = of('facilitator');
  expect([code, finding?.level, followed]).toEqual([1, 'fail', 0]);
  expect(finding?.found).toContain(found);
  expect(finding?.todo).toContain('Correct X402_FACILITATOR_URL');
  expect(JSON.stringify(finding)).not.toContain('canary');
});
