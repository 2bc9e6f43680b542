import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { parseAbi } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { localAccounts } from '../../local/chain/accounts.ts';
import { sendBatch } from '../../local/chain/authorizations.ts';
import { chainClient, localNetwork } from '../../local/chain/chain.ts';
import { price } from '../../local/chain/payment.ts';
import type { Hex } from '../../src/payment/networks.ts';
import { faults } from '../support/chain-facilitator-proxy.ts';
import { entitySearch } from '../support/command-line.ts';
import { expectRetry, expectServed, type PaidApi, type PaidStage, setPaidStage } from '../support/paid-stage.ts';
import { newPayer, type Payer, payTo, type SignedPayment, signPayment, submitByStranger } from '../support/payers.ts';

// The ledger beside the chain, both ways: what the audit finds, and what it lets be. Each test begins at a block of its
// own, so that what another one has left there does not count.

let stage: PaidStage;
let api: PaidApi;
let payer: Payer;

const merchant = payTo.toLowerCase();
/** Blocks that may still be taken back, and one. */
const finalAfter = localNetwork.reorgBlocks + 1;

beforeAll(async () => {
  stage = await setPaidStage();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

beforeEach(async () => {
  await stage.stage.pool.query('truncate x402_payments, x402_audits, x402_audit_findings restart identity');
  await makeFinal();
  payer = await newPayer(stage.chain.chain, 20);
  api = await stage.startApi();
});

afterEach(async () => {
  await api[Symbol.asyncDispose]();
});

const client = () => chainClient(stage.chain.chain);
const makeFinal = () => client().mine({ blocks: finalAfter });

interface Recipient {
  readonly pay_to: string;
  readonly network: string;
  readonly state: string;
  readonly landed: number;
  readonly from_block: number;
  readonly to_block: number;
  readonly transfers: number;
  readonly received: string;
  readonly received_usd: string;
  readonly settled: string;
  readonly difference: string;
  readonly difference_usd: string;
}

interface Finding {
  readonly id: number;
  readonly kind: string;
  readonly transaction: string;
  readonly event_at: number | null;
  readonly payment: number | null;
  readonly payer: string;
  readonly amount: string;
  readonly block: number;
}

async function audit(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const { code, out, err } = await entitySearch(['payments', 'audit', ...args], { ...stage.env, ...env });
  const { recipients, findings } = JSON.parse(out || '{"recipients":[],"findings":[]}') as {
    readonly recipients: readonly Recipient[];
    readonly findings: readonly Finding[];
  };
  return { code, err, recipients, findings };
}

async function buy(q: string): Promise<{ readonly transaction: string; readonly payment: SignedPayment }> {
  const payment = await signPayment(payer);
  const { transaction } = expectServed(await api.get(`q=${q}`, payment.header));
  await stage.settledRows(payer);
  return { transaction, payment };
}

async function plainTransfer(value: bigint): Promise<Hex> {
  const { account } = payer;
  await client().setBalance({ address: account.address, value: 10n ** 18n });
  const hash = await client().writeContract({
    account,
    chain: null,
    address: localNetwork.asset,
    abi: parseAbi(['function transfer(address to, uint256 value) returns (bool)']),
    functionName: 'transfer',
    args: [payTo, value],
  });
  await client().waitForTransactionReceipt({ hash });
  return hash;
}

/** Several authorizations in one transaction. */
async function submitTogether(payments: readonly SignedPayment[]): Promise<Hex> {
  const hash = await sendBatch(stage.chain.chain, payments);
  await client().waitForTransactionReceipt({ hash });
  return hash;
}

describe('equal', () => {
  test('what was sold is what was received, to the unit; what may still be taken back waits', async () => {
    await buy('one');
    await buy('two');
    const young = await audit();
    expect({ code: young.code, recipients: young.recipients }).toMatchObject({
      code: 0,
      recipients: [{ pay_to: merchant, state: 'done', transfers: 0, received: '0', settled: '0' }],
    });
    await makeFinal();
    const { code, recipients, findings } = await audit();
    expect({ code, findings }).toEqual({ code: 0, findings: [] });
    expect(recipients).toMatchObject([
      {
        transfers: 2,
        received: '20000',
        received_usd: '0.02',
        settled: '20000',
        difference: '0',
        difference_usd: '0.00',
      },
    ]);
    // Nothing is counted twice, nor when it is counted anew.
    for (const args of [[], ['--again']]) {
      expect((await audit(args)).recipients).toMatchObject([{ transfers: 2, received: '20000', settled: '20000' }]);
    }
    const { rows } = await stage.stage.pool.query('select final, block is not null as placed from x402_payments');
    expect(rows).toEqual([
      { final: true, placed: true },
      { final: true, placed: true },
    ]);
  });

  test('a settlement that nobody saw land becomes settled, and its payer gets the answer', async () => {
    stage.chain.facilitator.next('settle', async (exchange) => {
      await exchange.forward();
      await stage.rpc.set('refuse');
      exchange.reset();
    });
    const { header } = await signPayment(payer);
    expectRetry(await api.get('q=lost', header), 503, 'settlement_unknown');
    await stage.rpc.set('pass');
    await stage.restingRows(payer);
    await makeFinal();
    expect(await audit()).toMatchObject({ code: 0, recipients: [{ landed: 1, received: '10000', settled: '10000' }] });
    expect(await stage.rows(payer)).toMatchObject([{ status: 'settled', confirmed: true }]);
    expectServed(await api.get('q=lost', header));
  });

  test('transfers of nothing, which anybody can make, are no finding', async () => {
    await buy('one');
    await plainTransfer(0n);
    await makeFinal();
    expect(await audit()).toMatchObject({ code: 0, findings: [], recipients: [{ transfers: 1 }] });
  });

  test('rows that were kept long enough and are removed stay in the sums', async () => {
    await buy('one');
    await buy('two');
    await makeFinal();
    await audit();
    await stage.stage.pool.query(
      `update x402_payments set settled_at = now() - interval '2 days' where id = (select min(id) from x402_payments)`,
    );
    await using keeping = await stage.startApi({ X402_KEEP_DAYS: '1' });
    await keeping.paid.observe();
    expect(await stage.rows(payer)).toHaveLength(1);
    expect(await audit()).toMatchObject({ code: 0, recipients: [{ received: '20000', settled: '20000' }] });
  });
});

describe('transfers without a row', () => {
  test('a plain transfer, and one by an authorization that never came to us; acknowledged, they are told no more', async () => {
    await buy('one');
    const plain = await plainTransfer(7n);
    const unseen = await submitByStranger(stage.chain.chain, await signPayment(payer));
    await makeFinal();
    const { code, findings, recipients } = await audit();
    expect(code).toBe(2);
    expect(findings).toMatchObject([
      {
        kind: 'transfer_without_row',
        transaction: plain,
        event_at: 0,
        amount: '7',
        payer: payer.address,
        payment: null,
      },
      { kind: 'transfer_without_row', transaction: unseen, event_at: 1, amount: '10000', payment: null },
    ]);
    expect(recipients).toMatchObject([{ received: '20007', settled: '10000', difference: '10007' }]);
    // Told again until somebody says why, and stored once.
    expect((await audit(['--again'])).findings.map(({ id }) => id)).toEqual(findings.map(({ id }) => id));
    const ids = findings.map(({ id }) => id).join(',');
    expect(await audit(['--acknowledge', ids])).toMatchObject({ code: 64 });
    const acknowledged = await entitySearch(
      ['payments', 'audit', '--acknowledge', ids, '--note', 'sent by hand'],
      stage.env,
    );
    expect({ code: acknowledged.code, out: JSON.parse(acknowledged.out) }).toEqual({
      code: 0,
      out: { acknowledged: findings.map(({ id }) => id), unknown: [] },
    });
    expect(await audit(['--again'])).toMatchObject({ code: 0, findings: [] });
    expect(await audit(['--acknowledge', ids, '--note', 'twice'])).toMatchObject({ code: 1 });
  });

  test('one that has another amount than its row, and one from before its row', async () => {
    const other = await signPayment(payer, { value: price - 1n });
    const { payment } = await buy('one');
    await makeFinal();
    const nonce = other.authorization.nonce;
    const transaction = await submitByStranger(stage.chain.chain, other);
    await makeFinal();
    // The row of the same authorization says one more.
    await stage.stage.pool.query(
      `insert into x402_payments (network, asset, pay_to, payer, nonce, amount, valid_before, status, request_hash, signature_hash, header, from_block)
       select network, asset, pay_to, payer, $1, amount, valid_before, 'refused', repeat('0', 64), signature_hash, 'x', from_block
       from x402_payments where nonce = $2`,
      [nonce, payment.authorization.nonce],
    );
    const amounts = await audit();
    expect(amounts.findings).toMatchObject([{ transaction, amount: '9999', payment: expect.any(Number) }]);
    await stage.stage.pool.query(`update x402_payments set amount = 9999, from_block = $2 where nonce = $1`, [
      nonce,
      (amounts.findings[0]?.block ?? 0) + 1,
    ]);
    expect(await audit(['--again'])).toMatchObject({ code: 2, findings: [{ transaction }] });
    // Then it is as it should be, and the finding goes by itself.
    await stage.stage.pool.query('update x402_payments set from_block = from_block - 1 where nonce = $1', [nonce]);
    expect(await audit()).toMatchObject({ code: 0, findings: [], recipients: [{ landed: 1, difference: '0' }] });
  });

  test('of several payments in one transaction each is judged by itself', async () => {
    // One of ours, one to somebody else, one that never came to us.
    const ours = await signPayment(payer);
    stage.chain.facilitator.next('settle', faults.reset);
    expectRetry(await api.get('q=batched', ours.header), 503, 'settlement_unknown');
    await stage.restingRows(payer);
    const elsewhere = await signPayment(payer, { to: privateKeyToAccount(generatePrivateKey()).address });
    const unseen = await signPayment(payer);
    const transaction = await submitTogether([elsewhere, ours, unseen]);
    await makeFinal();
    const { code, findings, recipients } = await audit();
    expect({ code, findings }).toMatchObject({ code: 2, findings: [{ transaction, event_at: 5, payment: null }] });
    expect(recipients).toMatchObject([{ landed: 1, transfers: 2, received: '20000', settled: '10000' }]);
    expect(await stage.rows(payer)).toMatchObject([{ status: 'settled', tx_hash: transaction }]);
  });
});

describe('rows without their transfer', () => {
  test('a settled row that says another block or transaction than the chain', async () => {
    await buy('one');
    const { transaction } = await buy('two');
    await makeFinal();
    await api.paid.observe();
    const { rows } = await stage.stage.pool.query<{ id: string; block: string }>(
      `update x402_payments set nonce = '0x' || repeat('ab', 32) where tx_hash = $1 returning id, block`,
      [transaction],
    );
    const block = Number(rows[0]?.block);
    const { code, findings, recipients } = await audit();
    expect(code).toBe(2);
    expect(findings).toMatchObject([
      { kind: 'transfer_without_row', transaction, block },
      { kind: 'row_without_transfer', transaction, block, payment: Number(rows[0]?.id), event_at: null },
    ]);
    // As much is missing on one side as on the other.
    expect(recipients).toMatchObject([{ received: '20000', settled: '20000', difference: '0' }]);
  });

  test('a settled row whose block was undone, deeper than blocks are believed to be', async () => {
    await buy('one');
    const snapshot = await client().snapshot();
    const { transaction } = await buy('undone');
    await makeFinal();
    await api.paid.observe();
    const address = localAccounts.facilitator().address;
    const nonce = await client().getTransactionCount({ address });
    await client().revert({ id: snapshot });
    // The facilitator counts its transactions by itself.
    await client().setNonce({ address, nonce });
    await client().mine({ blocks: 2 * finalAfter });
    const { code, findings, recipients } = await audit();
    expect({ code, findings }).toMatchObject({ code: 2, findings: [{ kind: 'row_without_transfer', transaction }] });
    expect(recipients).toMatchObject([{ received: '10000', settled: '20000', difference_usd: '-0.01' }]);
  });

  test('a row that says another block than that of its transaction is corrected', async () => {
    const { transaction } = await buy('one');
    await makeFinal();
    await api.paid.observe();
    await stage.stage.pool.query('update x402_payments set block = block + 1');
    expect(await audit()).toMatchObject({ code: 0, findings: [], recipients: [{ difference: '0' }] });
    const { blockNumber } = await client().getTransactionReceipt({ hash: transaction as Hex });
    const { rows } = await stage.stage.pool.query('select block from x402_payments');
    expect(rows).toEqual([{ block: String(blockNumber) }]);
  });

  test('a node that leaves logs out is not believed', async () => {
    await buy('one');
    await makeFinal();
    await api.paid.observe();
    await using node = await startNode(() => ({ result: [] }));
    const { code, err, findings } = await audit([], { X402_RPC_URL: node.url });
    expect({ code, err, findings }).toEqual({
      code: 1,
      err: expect.stringContaining('The node leaves transfers out'),
      findings: [],
    });
    expect(await audit()).toMatchObject({ code: 0, recipients: [{ transfers: 1 }] });
  });
});

describe('recipients', () => {
  test('one who is not paid any more is audited like the one who is', async () => {
    await buy('old');
    const next = privateKeyToAccount(generatePrivateKey()).address;
    const env = { X402_PAY_TO: next };
    await using changed = await stage.startApi(env);
    const { header } = await signPayment(payer, { to: next, accepted: { payTo: next } });
    expectServed(await changed.get('q=new', header));
    await plainTransfer(3n);
    await makeFinal();
    const { code, recipients, findings } = await audit([], env);
    expect(code).toBe(2);
    const sorted = [...recipients].sort((one) => (one.pay_to === merchant ? -1 : 1));
    expect(sorted).toMatchObject([
      { pay_to: merchant, received: '10003', settled: '10000' },
      { pay_to: next.toLowerCase(), received: '10000', settled: '10000' },
    ]);
    expect(findings).toMatchObject([{ amount: '3' }]);
  });

  test('a network without a node is told and left alone, and its open rows too', async () => {
    await buy('here');
    stage.chain.facilitator.next('settle', faults.reset);
    expectRetry(await api.get('q=there', (await signPayment(payer)).header), 503, 'settlement_unknown');
    await stage.restingRows(payer);
    await stage.stage.pool.query(
      `update x402_payments set network = 'eip155:8453', asset = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
         lease_owner = null, lease_until = null where status = 'unknown'`,
    );
    await makeFinal();
    const { code, err, recipients } = await audit();
    expect({ code, recipients }).toMatchObject({
      code: 0,
      recipients: [
        { network: 'eip155:8453', state: 'no_node' },
        { network: 'eip155:84532', state: 'done' },
      ],
    });
    expect(err).toContain('node of another network');
    await api.paid.observe();
    await api.paid.observe();
    expect(api.paid.figures()?.payments).toMatchObject({ no_node: 1, unknown: 1 });
    const told = api.log.filter(({ msg }) => String(msg).startsWith('payments stay open'));
    expect(told).toMatchObject([{ payments: 1 }]);
    expect(await stage.rows(payer)).toMatchObject([{ status: 'settled' }, { status: 'unknown' }]);
    const listed = await entitySearch(['payments', 'list'], stage.env);
    expect(listed.err).toContain('1 payment(s) stay open');
  });
});

describe('on the way', () => {
  test('what is stopped in the middle goes on from there, and counts nothing twice', async () => {
    for (const q of ['a', 'b', 'c']) {
      await buy(q);
      await makeFinal();
    }
    const stopping = new AbortController();
    let asked = 0;
    await using node = await startNode(() => {
      asked += 1;
      if (asked === 3) stopping.abort(new Error('stopped'));
      return null;
    });
    const env = { ...stage.env, X402_RPC_LOG_RANGE: '10', X402_RPC_URL: node.url };
    expect((await entitySearch(['payments', 'audit'], env, stopping.signal)).code).toBe(1);
    const { rows } = await stage.stage.pool.query(
      'select last_block - first_block + 1 as blocks, transfers < 3 as some, lease_owner from x402_audits',
    );
    expect(rows).toEqual([{ blocks: '20', some: true, lease_owner: null }]);
    asked = 3;
    expect(await audit([], env)).toMatchObject({ code: 0, recipients: [{ transfers: 3, received: '30000' }] });
  });

  test('two at once, and the API beside them, count each transfer once', async () => {
    for (const q of ['a', 'b', 'c']) await buy(q);
    await plainTransfer(1n);
    await makeFinal();
    const env = { X402_RPC_LOG_RANGE: '10' };
    const [one, other] = await Promise.all([audit([], env), audit([], env), api.paid.audit(0), api.paid.audit(0)]);
    for (const { code, recipients, findings } of [one, other]) {
      expect({ code, recipients, findings }).toMatchObject({
        code: 2,
        recipients: [{ state: 'done', transfers: 4, received: '30001', settled: '30000' }],
        findings: [{ amount: '1' }],
      });
    }
  });

  test('the API audits by itself, and leaves alone what another process has just audited', async () => {
    await buy('one');
    await makeFinal();
    expect(await api.paid.audit(60_000)).toMatchObject([{ state: 'done', sums: null }]);
    expect(await api.paid.audit(60_000)).toMatchObject([{ state: 'taken' }]);
    await api.paid.observe();
    expect(api.paid.figures()).toMatchObject({
      findings: { transfer_without_row: 0, row_without_transfer: 0 },
      auditAgeSeconds: expect.any(Number),
    });
    expect(api.paid.figures()?.auditAgeSeconds).toBeLessThan(60);
  });

  test('without the node nothing is compared, and nothing is forgotten', async () => {
    await buy('one');
    await makeFinal();
    await stage.rpc.set('refuse');
    const away = await audit();
    expect({ code: away.code, err: away.err }).toEqual({
      code: 1,
      err: expect.stringContaining('The chain gave no answer'),
    });
    await stage.rpc.set('pass');
    expect(await audit()).toMatchObject({ code: 0, recipients: [{ transfers: 1 }] });
  });

  test('a node that refuses many blocks at once is asked for fewer', async () => {
    await buy('one');
    await client().mine({ blocks: 50 });
    const asked: number[] = [];
    await using node = await startNode(({ fromBlock, toBlock }) => {
      asked.push(Number(toBlock) - Number(fromBlock) + 1);
      return (asked.at(-1) ?? 0) > 8 ? { error: { code: -32_005, message: 'too many blocks' } } : null;
    });
    expect(await audit([], { X402_RPC_URL: node.url })).toMatchObject({ code: 0, recipients: [{ transfers: 1 }] });
    const refused = asked.filter((blocks) => blocks > 8);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(8);
  });

  test('a node of another chain is not asked', async () => {
    await buy('one');
    await makeFinal();
    const other = await entitySearch(['payments', 'audit'], {
      ...stage.env,
      X402_NETWORK: 'eip155:8453',
      X402_FACILITATOR_URL: stage.env.X402_FACILITATOR_URL ?? '',
    });
    expect(JSON.parse(other.out)).toMatchObject({ recipients: [{ state: 'no_node' }] });
    await stage.stage.pool.query(`update x402_payments set network = 'eip155:8453'`);
    const wrong = await entitySearch(['payments', 'audit'], { ...stage.env, X402_NETWORK: 'eip155:8453' });
    expect({ code: wrong.code, err: wrong.err }).toEqual({ code: 1, err: expect.stringContaining('chain 84532') });
  });

  test('just some blocks are compared without a change of the position', async () => {
    await buy('one');
    await makeFinal();
    const first = (await audit()).recipients[0];
    await buy('two');
    await makeFinal();
    const from = String((first?.to_block ?? 0) + 1);
    const part = await audit(['--from-block', from]);
    expect(part.recipients).toMatchObject([{ from_block: Number(from), transfers: 1, settled: '10000' }]);
    const whole = await audit();
    expect(whole.recipients).toMatchObject([{ from_block: first?.from_block, transfers: 2, settled: '20000' }]);
    expect((await audit(['--from-block', 'x'])).code).toBe(64);
  });
});

/** The chain's node, but for its logs: answered by `logs`, or by the node itself where that answers null. */
async function startNode(
  logs: (filter: { readonly fromBlock: string; readonly toBlock: string }) => object | null,
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { id, method, params } = JSON.parse(body);
    const own = method === 'eth_getLogs' ? logs(params[0]) : null;
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    const answer =
      own === null
        ? await (await fetch(stage.chain.chain, init)).text()
        : JSON.stringify({ jsonrpc: '2.0', id, ...own });
    response.setHeader('content-type', 'application/json');
    response.end(answer);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

test('doctor tells what is wrong with the ledger, each in a sentence, and what to do', async () => {
  await buy('one');
  stage.chain.facilitator.next('settle', faults.reset);
  expectRetry(await api.get('q=open', (await signPayment(payer)).header), 503, 'settlement_unknown');
  await stage.restingRows(payer);
  await plainTransfer(2n);
  await makeFinal();
  expect(await ledgerFindings()).toMatchObject([{ level: 'ok' }]);
  await audit();
  await stage.stage.pool.query(`update x402_payments set created_at = now() - interval '2 hours',
      settled_at = case when status = 'settled' then now() - interval '2 hours' end, confirmed = false, final = false`);
  await stage.stage.pool.query(
    `update x402_audits set created_at = now() - interval '2 hours', finished_at = now() - interval '2 hours'`,
  );
  const there = await ledgerFindings();
  expect(there.map(({ found }) => found)).toEqual([
    expect.stringContaining('1 payment(s) are open for more than an hour'),
    expect.stringContaining("1 payment(s) are settled on the facilitator's word"),
    expect.stringContaining('Ledger and chain differ in 1 finding(s)'),
    expect.stringContaining('The audit of 1 recipient(s) has not come to its end'),
  ]);
  expect(there.filter(({ todo, level }) => todo === null || level !== 'warn')).toEqual([]);
  await stage.stage.pool.query(`update x402_payments set network = 'eip155:8453' where status = 'unknown'`);
  expect((await ledgerFindings()).map(({ found }) => found)).toContainEqual(
    expect.stringContaining('1 payment(s) stay open: they are of another network than eip155:84532'),
  );
});

async function ledgerFindings() {
  const { out } = await entitySearch(['doctor', '--json'], stage.env);
  const found = JSON.parse(out) as readonly {
    readonly check: string;
    readonly level: string;
    readonly found: string;
    readonly todo: string | null;
  }[];
  return found.filter(({ check }) => check === 'payments');
}

// The last one: the chain's clock goes on an hour.
test("a facilitator's lie while the node is away is denied: told by log, figures, list, export and doctor", async () => {
  const { transaction: real } = await buy('real');
  stage.chain.facilitator.next('settle', async (exchange) => {
    await stage.rpc.set('refuse');
    exchange.answer(
      200,
      JSON.stringify({
        success: true,
        payer: payer.address,
        transaction: `0x${'de'.repeat(32)}`,
        network: 'eip155:84532',
      }),
    );
  });
  const { header } = await signPayment(payer, { validForSeconds: 30 });
  expectServed(await api.get('q=lie', header));
  await stage.settledRows(payer);
  await stage.rpc.set('pass');
  await api.paid.observe();
  expect(api.paid.figures()?.payments).toMatchObject({ unconfirmed: 1, denied: 0 });
  await client().increaseTime({ seconds: 3_600 });
  await makeFinal();
  await api.paid.observe();
  expect(api.paid.figures()?.payments).toMatchObject({ unconfirmed: 0, denied: 1 });
  expect(api.log.filter(({ level }) => level === 'error')).toMatchObject([{ transaction: `0x${'de'.repeat(32)}` }]);
  const listed = await entitySearch(['payments', 'list', '--status', 'denied'], stage.env);
  expect(JSON.parse(listed.out)).toMatchObject([{ status: 'denied', confirmed: false }]);
  const exported = (await entitySearch(['payments', 'export'], stage.env)).out.trimEnd().split('\n');
  expect(exported.map((line) => line.split(',').slice(-2))).toEqual([
    ['status', 'final'],
    ['settled', 'true'],
    ['denied', 'false'],
  ]);
  expect(await ledgerFindings()).toMatchObject([
    { level: 'warn', found: expect.stringContaining('1 payment(s) were served') },
  ]);
  // What never came is in neither sum.
  expect(await audit()).toMatchObject({ code: 0, recipients: [{ received: '10000', settled: '10000' }] });
  expect(exported[1]).toContain(real);
});
