import { describe, expect, test } from '@jest/globals';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { entitySearch } from '../../../../dev/lib/command-line.ts';
import { expectRetry, expectServed } from '../../../support/payments/paid-answer.ts';
import { payTo, signPayment } from '../../../support/payments/payers.ts';
import { faults } from '../../../support/proxies/facilitator.ts';
import {
  api,
  audit,
  buy,
  client,
  makeFinal,
  payer,
  plainTransfer,
  stage,
  startNode,
  useAuditStage,
} from '../../../support/stages/audit.ts';

// The recipients that the audit covers, and its progress when stopped, next to other runs, and with failing nodes.

useAuditStage();
const merchant = payTo.toLowerCase();

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

  test('a network without a node is reported and skipped, and so are its open rows', async () => {
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
  test('a run that was stopped continues from there and counts nothing twice', async () => {
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

  test('two runs at once, next to the API, count each transfer once', async () => {
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
