import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { price } from '../../dev/chain/payment.ts';
import { startConnectedApi } from '../support/api/connected.ts';
import { newPayer } from '../support/payments/payers.ts';
import { clientCompanies, setStage } from '../support/stages/api.ts';
import { setPaidStage } from '../support/stages/paid.ts';

// The tests of clients/python, if it is installed; its README and examples are run against this service.

const own = join(import.meta.dirname, '..', '..', '.local', 'clients-python', 'bin', 'python');
const python = existsSync(own) ? own : 'python3';
const installed = spawnSync(python, ['-c', 'import entity_search_client, pytest, x402']).status === 0;
if (!installed) {
  process.stderr.write("SKIPPED: the Python client is not installed (pip install -e 'clients/python[test]')\n");
}

(installed ? test : test.skip)('the Python client passes its tests, also against this service', async () => {
  await using stage = await setPaidStage(undefined, () => setStage(clientCompanies));
  await using api = await startConnectedApi(stage.env);
  const payer = await newPayer(stage.chain.chain, 20);
  const child = spawn(python, ['-B', '-m', 'pytest', '-q', '-p', 'no:cacheprovider'], {
    cwd: join(import.meta.dirname, '..', '..', 'clients', 'python'),
    env: {
      ...process.env,
      ENTITY_SEARCH_URL: api.url,
      ENTITY_SEARCH_KEY: await stage.stage.createKey(),
      WALLET_KEY: payer.key,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => void child.once('close', resolve));
  const output = await text(child.stdout);
  if ((await ended) !== 0) throw new Error(output);
  // The client counted exactly its payments: its tests against the service buy this many searches.
  const bought = Number(/bought (\d+)/.exec(output)?.[1]);
  expect(bought).toBeGreaterThan(0);
  expect(await stage.spent(payer)).toBe(price * BigInt(bought));
});
