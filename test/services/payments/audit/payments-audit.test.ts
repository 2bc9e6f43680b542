import { describe, expect, test } from '@jest/globals';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { localAccounts } from '../../../../dev/chain/accounts.ts';
import { price } from '../../../../dev/chain/payment.ts';
import { entitySearch } from '../../../../dev/lib/command-line.ts';
import type { Hex } from '../../../../src/payments/protocol/networks.ts';
import { expectRetry, expectServed } from '../../../support/payments/paid-answer.ts';
import { payTo, signPayment, submitByStranger } from '../../../support/payments/payers.ts';
import { faults } from '../../../support/proxies/facilitator.ts';
import {
  api,
  audit,
  buy,
  client,
  finalAfter,
  makeFinal,
  payer,
  plainTransfer,
  stage,
  startNode,
  submitTogether,
  useAuditStage,
} from '../../../support/stages/audit.ts';

// Compares ledger and chain in both directions: differences are found, and the rest is accepted.

useAuditStage();
const merchant = payTo.toLowerCase();

describe('equal', () => {
  test('sales equal receipts to the unit; blocks that may still be replaced are left for later', async () => {
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
    // Nothing is counted twice, even in a second run.
    for (const args of [[], ['--again']]) {
      expect((await audit(args)).recipients).toMatchObject([{ transfers: 2, received: '20000', settled: '20000' }]);
    }
    const { rows } = await stage.stage.pool.query('select final, block is not null as placed from x402_payments');
    expect(rows).toEqual([
      { final: true, placed: true },
      { final: true, placed: true },
    ]);
  });

  test('a settlement that landed unseen becomes settled, and its payer gets the answer', async () => {
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
  test('a plain transfer and one by an unknown authorization are reported until they are acknowledged', async () => {
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
    // Reported again until it is acknowledged, and stored once.
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
    // The row of the same authorization counts one more.
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
    // One of ours, one to another recipient, one that never reached us.
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
  test('a settled row whose block or transaction differs from the chain', async () => {
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

  test("a row with another block than its transaction's is corrected", async () => {
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
