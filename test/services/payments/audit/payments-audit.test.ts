import { entitySearch } from '../../../../dev/lib/command-line.ts';
import type { Hex } from '../../../../src/payments/protocol/networks.ts';
import { expectServed } from '../../../support/payments/paid-answer.ts';
import { cancel, type SignedPayment, submitByStranger } from '../../../support/payments/payers.ts';
import {
  api,
  audit,
  buy,
  client,
  finalAfter,
  makeFinal,
  merchant,
  newRecipient,
  payer,
  plainTransfer,
  revertTo,
  sign,
  stage,
  startNode,
  submitTogether,
  useAuditStage,
} from '../../../support/stages/audit.ts';
import { leaveUnknown } from '../../../support/stages/paid.ts';

// Compares ledger and chain in both directions: differences are found, and the rest is accepted.

useAuditStage();

test('sales equal receipts exactly; recent blocks, unseen settlements and zero transfers are not findings', async () => {
  await buy('one');
  await plainTransfer(0n);
  const { header } = await leaveUnseen();
  const young = await audit();
  expect({ code: young.code, recipients: young.recipients }).toMatchObject({
    code: 0,
    recipients: [{ pay_to: merchant.toLowerCase(), state: 'done', transfers: 0, received: '0' }],
  });
  await makeFinal();
  const { code, recipients, findings } = await audit();
  expect({ code, findings }).toEqual({ code: 0, findings: [] });
  expect(recipients).toMatchObject([{ transfers: 2, received: '20000', received_usd: '0.02' }]);
  // The settlement is left to the observer, and its payer gets the answer.
  await api.paid.observe();
  expect(await stage.rows(payer)).toMatchObject([{ status: 'settled' }, { status: 'settled' }]);
  expectServed(await api.get('q=lost', header));
  expect(await audit()).toMatchObject({ code: 0, recipients: [{ received: '20000' }] });
});

/** A settlement that landed, which no process has seen. */
async function leaveUnseen(): Promise<SignedPayment> {
  const payment = await leaveUnknown(stage, api, 'q=lost', await sign());
  await stage.restingRows(payer);
  await submitByStranger(stage.chain.chain, payment);
  return payment;
}

describe('transfers without a row', () => {
  test('a plain transfer and one with an unknown authorization are reported until acknowledged', async () => {
    await buy('one');
    const plain = await plainTransfer(7n);
    const unseen = await submitByStranger(stage.chain.chain, await sign());
    await makeFinal();
    const { code, findings, recipients } = await audit();
    expect(code).toBe(2);
    expect(findings).toMatchObject([
      { kind: 'transfer_without_row', transaction: plain, amount: '7', payer: payer.address, payment: null },
      { kind: 'transfer_without_row', transaction: unseen, amount: '10000', payment: null },
    ]);
    expect(recipients).toMatchObject([{ received: '20007' }]);
    // Reported again until it is acknowledged, and stored once.
    expect((await audit()).findings.map(({ id }) => id)).toEqual(findings.map(({ id }) => id));
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
    expect(await audit()).toMatchObject({ code: 0, findings: [] });
    expect(await audit(['--acknowledge', ids, '--note', 'twice'])).toMatchObject({ code: 1 });
  });

  test('a transfer with another amount than its row is reported until they match', async () => {
    const { transaction } = await buy('one');
    await makeFinal();
    await stage.stage.pool.query('update x402_payments set amount = 9999');
    const { code, findings } = await audit();
    expect({ code, findings }).toMatchObject({
      code: 2,
      findings: expect.arrayContaining([
        expect.objectContaining({ kind: 'transfer_without_row', transaction, amount: '10000' }),
      ]),
    });
    await stage.stage.pool.query('update x402_payments set amount = 10000');
    expect(await audit()).toMatchObject({ code: 0, findings: [] });
  });

  test('each of several payments in one transaction is judged separately', async () => {
    // One of ours, one to another recipient, one that never reached us.
    const ours = await leaveUnknown(stage, api, 'q=batched', await sign());
    await stage.restingRows(payer);
    const elsewhere = await sign({ to: newRecipient() });
    const unseen = await sign();
    const transaction = await submitTogether([elsewhere, ours, unseen]);
    await makeFinal();
    await api.paid.observe();
    const { code, findings, recipients } = await audit();
    expect({ code, findings }).toMatchObject({ code: 2, findings: [{ transaction, payment: null }] });
    expect(recipients).toMatchObject([{ transfers: 2, received: '20000' }]);
    expect(await stage.rows(payer)).toMatchObject([{ status: 'settled', tx_hash: transaction }]);
  });
});

describe('rows without their transfer', () => {
  test('a settled row that is missing on the chain', async () => {
    await buy('one');
    const { transaction } = await buy('two');
    await makeFinal();
    await api.paid.observe();
    const { rows } = await stage.stage.pool.query<{ id: string; block: string }>(
      `update x402_payments set nonce = '0x' || repeat('ab', 32), tx_hash = '0x' || repeat('ab', 32), valid_before = 1
       where tx_hash = $1 returning id, block`,
      [transaction],
    );
    const block = Number(rows[0]?.block);
    const { code, findings } = await audit();
    expect(code).toBe(2);
    expect(findings).toMatchObject([
      { kind: 'transfer_without_row', transaction, block },
      { kind: 'row_without_transfer', block, payment: Number(rows[0]?.id), log_index: null },
    ]);
  });

  test('a settled row whose block was compared and then reorganized', async () => {
    await buy('one');
    const snapshot = await client().snapshot();
    const { transaction } = await buy('undone');
    await makeFinal();
    await api.paid.observe();
    expect(await audit()).toMatchObject({ code: 0, recipients: [{ received: '20000' }] });
    await revertTo(snapshot);
    await client().mine({ blocks: 2 * finalAfter });
    const { code, findings, recipients } = await audit();
    expect({ code, findings }).toMatchObject({ code: 2, findings: [{ kind: 'row_without_transfer', transaction }] });
    expect(recipients).toMatchObject([{ received: '10000' }]);
  });

  test('a payment that a reorganization reverted before it was final, until acknowledged', async () => {
    const snapshot = await client().snapshot();
    const payment = await sign();
    const transaction = expectServed(await api.get('q=reversed', payment.header)).transaction;
    await stage.settledRows(payer);
    await revertTo(snapshot);
    await cancel(stage.chain.chain, payer, payment);
    await makeFinal();
    await api.paid.observe();
    expect(await stage.rows(payer)).toEqual([]);
    for (let run = 0; run < 2; run += 1) {
      expect((await audit()).findings).toMatchObject([{ kind: 'reversed', transaction, amount: '10000' }]);
    }
  });

  test('a row with another block than its transaction is corrected', async () => {
    const { transaction } = await buy('one');
    await makeFinal();
    await api.paid.observe();
    const { blockNumber } = await client().getTransactionReceipt({ hash: transaction as Hex });
    await stage.stage.pool.query('update x402_payments set block = block - 1');
    const wrong = String(blockNumber - 1n);
    expect(await audit(['--from-block', wrong, '--to-block', wrong])).toMatchObject({ code: 0, findings: [] });
    const { rows } = await stage.stage.pool.query('select block from x402_payments');
    expect(rows).toEqual([{ block: String(blockNumber) }]);
  });
});

describe('nodes', () => {
  test('missing logs are not a finding, and their transfers are found later', async () => {
    await buy('one');
    await plainTransfer(5n);
    await makeFinal();
    await api.paid.observe();
    await using node = await startNode((method) => (method === 'eth_getLogs' ? { result: [] } : null));
    const lagging = await audit([], { X402_RPC_URL: node.url });
    expect(lagging).toMatchObject({ code: 0, findings: [], recipients: [{ transfers: 0 }] });
    expect(await audit()).toMatchObject({ code: 2, findings: [{ amount: '5' }], recipients: [{ transfers: 2 }] });
  });

  test('a block that the node cannot show is a finding, and the blocks after it are compared', async () => {
    await plainTransfer(5n);
    const unreadable = await client().getBlockNumber();
    await plainTransfer(6n);
    await makeFinal();
    await using node = await startNode((method, { fromBlock, toBlock }) =>
      method === 'eth_getLogs' && BigInt(fromBlock) <= unreadable && unreadable <= BigInt(toBlock)
        ? { result: 'x'.repeat(9 * 1_048_576) }
        : null,
    );
    const { code, findings } = await audit([], { X402_RPC_URL: node.url });
    expect({ code, findings }).toMatchObject({
      code: 2,
      findings: [{ kind: 'unreadable', block: Number(unreadable), transaction: null }, { amount: '6' }],
    });
    expect((await audit()).findings).toMatchObject([{ amount: '6' }, { amount: '5' }]);
  });

  test("a payment in a transaction too large to read is found through the token's own logs", async () => {
    await using node = await startNode((method) =>
      method === 'eth_getTransactionReceipt' ? { result: 'x'.repeat(9 * 1_048_576) } : null,
    );
    await using large = await stage.startApi({ X402_PAY_TO: merchant, X402_RPC_URL: node.url });
    const payment = await sign();
    expectServed(await large.get('q=large', payment.header));
    const unseen = await leaveUnknown(stage, large, 'q=unseen', await sign());
    await stage.restingRows(payer);
    await submitByStranger(stage.chain.chain, unseen);
    await makeFinal();
    await large.paid.observe();
    expect(await stage.rows(payer)).toMatchObject([{ status: 'settled' }, { status: 'settled' }]);
    expect(await audit([], { X402_RPC_URL: node.url })).toMatchObject({ code: 0, recipients: [{ transfers: 2 }] });
  });
});
