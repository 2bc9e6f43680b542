import { entitySearch } from '../../../../dev/lib/command-line.ts';
import { runDoctor } from '../../../support/doctor.ts';
import { expectServed } from '../../../support/payments/paid-answer.ts';
import {
  api,
  audit,
  buy,
  client,
  makeFinal,
  merchant,
  newRecipient,
  payer,
  plainTransfer,
  sign,
  stage,
  startNode,
  useAuditStage,
} from '../../../support/stages/audit.ts';
import { leaveUnknown } from '../../../support/stages/paid.ts';

// The recipients that the audit covers, its progress in turns, next to other runs, and with failing nodes; and the report
// of doctor.

useAuditStage();

const refusal = { error: { code: -32_005, message: 'too many results' } };

describe('recipients', () => {
  test('a recipient who is no longer paid is audited like the current one, even after rows were lost', async () => {
    await buy('old');
    await api.paid.audit(0);
    const next = newRecipient();
    const env = { X402_PAY_TO: next };
    await using changed = await stage.startApi(env);
    const { header } = await sign({ to: next, accepted: { payTo: next } });
    expectServed(await changed.get('q=new', header));
    await plainTransfer(3n);
    await makeFinal();
    const { code, recipients, findings } = await audit([], env);
    expect(code).toBe(2);
    const sorted = [...recipients].sort((one) => (one.pay_to === merchant.toLowerCase() ? -1 : 1));
    expect(sorted).toMatchObject([
      { pay_to: merchant.toLowerCase(), received: '10003' },
      { pay_to: next.toLowerCase(), received: '10000' },
    ]);
    expect(findings).toMatchObject([{ amount: '3' }]);
    // The database is restored, as of before the second recipient.
    await stage.stage.pool.query('delete from x402_payments where pay_to = $1', [next.toLowerCase()]);
    await stage.stage.pool.query('delete from x402_recipients where pay_to = $1', [next.toLowerCase()]);
    expect((await audit([], env)).findings).toMatchObject([{ amount: '3' }, { amount: '10000' }]);
  });

  test('a network without a node is reported and skipped, and so are its open rows', async () => {
    await buy('here');
    await leaveUnknown(stage, api, 'q=there', await sign());
    await stage.restingRows(payer);
    const there = `'eip155:8453', '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'`;
    await stage.stage.pool.query(
      `update x402_payments set (network, asset) = (${there}), lease_owner = null, lease_until = null where status <> 'settled'`,
    );
    await stage.stage.pool.query(
      `insert into x402_recipients (network, asset, pay_to) values (${there}, '${merchant.toLowerCase()}')`,
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
    expect(err).toContain('X402_RPC_URL is not a node of eip155:8453');
    await api.paid.observe();
    expect(api.paid.figures()?.payments).toMatchObject({ no_node: 1 });
    const listed = await entitySearch(['payments', 'list'], stage.env);
    expect(listed.err).toContain('1 payment(s) stay open');
  });

  test('a recipient whose blocks the node cannot show does not block another', async () => {
    const next = newRecipient();
    await audit([], { X402_PAY_TO: next });
    await plainTransfer(3n);
    await plainTransfer(4n, next);
    await makeFinal();
    await using node = await startNode((method, filter) =>
      method === 'eth_getLogs' && JSON.stringify(filter).includes(merchant.slice(2).toLowerCase()) ? refusal : null,
    );
    const { findings, recipients } = await audit(['--from-block', String((await lastBlock()) - 20)], {
      X402_RPC_URL: node.url,
    });
    expect(recipients).toMatchObject([{ state: 'done' }, { state: 'done' }]);
    expect(findings.filter(({ kind }) => kind === 'transfer_without_row')).toMatchObject([{ amount: '4' }]);
  });
});

const movePayments = (to: string) => stage.stage.pool.query('update x402_payments set pay_to = $1', [to.toLowerCase()]);

async function openFindings(): Promise<number | null> {
  const open = 'select id from x402_audit_findings where resolved_at is null';
  return (await stage.stage.pool.query(open)).rowCount;
}

const lastBlock = async (): Promise<number> => Number(await client().getBlockNumber());

describe('progress', () => {
  test('a process continues where its last turn stopped, and starts over after the end', async () => {
    await plainTransfer(1n);
    await client().mine({ blocks: 60 });
    await plainTransfer(2n);
    await makeFinal();
    await using small = await stage.startApi(
      { X402_PAY_TO: merchant },
      { paid: { audit: { rangesMax: 1 }, chain: { logRangeBlocks: 30 } } },
    );
    const seen: string[] = [];
    for (let turn = 0; turn < 500; turn += 1) {
      const [one] = await small.paid.audit(0);
      if (one?.received) seen.push(String(one.received));
      if (one?.state === 'done') break;
      expect(one?.state).toBe('unfinished');
    }
    expect(seen).toEqual(['1', '2']);
    expect(await small.paid.audit(0)).toMatchObject([{ fromBlock: 0, state: 'unfinished' }]);
  });

  test('a finding older than the compared days is resolved once its row is back', async () => {
    await buy('one');
    await makeFinal();
    const days = { paid: { observer: { keepMs: 60_000 } } };
    await using small = await stage.startApi({ X402_PAY_TO: merchant }, days);
    await movePayments(newRecipient());
    await small.paid.audit(0);
    expect(await openFindings()).toBe(1);
    await client().mine({ blocks: 100 });
    expect(await small.paid.audit(0)).toMatchObject([{ state: 'done', transfers: 0 }]);
    expect(await openFindings()).toBe(1);
    await movePayments(merchant);
    expect(await small.paid.audit(0)).toMatchObject([{ state: 'done', transfers: 0 }]);
    expect(await openFindings()).toBe(0);
  });

  test('two concurrent runs next to the API report each finding once', async () => {
    for (const q of ['a', 'b', 'c']) await buy(q);
    await plainTransfer(1n);
    await makeFinal();
    await using small = await stage.startApi({ X402_PAY_TO: merchant }, { paid: { chain: { logRangeBlocks: 10 } } });
    const [one, other] = await Promise.all([audit(), audit(), small.paid.audit(0), small.paid.audit(0)]);
    for (const { code, recipients, findings } of [one, other]) {
      expect({ code, recipients, findings }).toMatchObject({
        code: 2,
        recipients: [{ state: 'done', transfers: 4, received: '30001' }],
        findings: [{ amount: '1' }],
      });
    }
  });

  test('the API audits by itself, unless another process has just started', async () => {
    await buy('one');
    await makeFinal();
    expect(await api.paid.audit(60_000)).toMatchObject([{ state: 'done' }]);
    expect(await api.paid.audit(60_000)).toMatchObject([{ state: 'resting' }]);
    await api.paid.observe();
    expect(api.paid.figures()).toMatchObject({
      findings: { transfer_without_row: 0, row_without_transfer: 0, unreadable: 0 },
      auditAgeSeconds: expect.any(Number),
    });
    expect(api.paid.figures()?.auditAgeSeconds).toBeLessThan(60);
  });

  test('without the node, nothing is compared', async () => {
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

  test('a node that refuses a range of blocks is queried for fewer', async () => {
    await buy('one');
    await client().mine({ blocks: 50 });
    const asked: number[] = [];
    await using node = await startNode((method, { fromBlock, toBlock }) => {
      if (method !== 'eth_getLogs') return null;
      asked.push(Number(toBlock) - Number(fromBlock) + 1);
      return (asked.at(-1) ?? 0) > 8 ? refusal : null;
    });
    const from = String((await lastBlock()) - 80);
    expect(await audit(['--from-block', from], { X402_RPC_URL: node.url })).toMatchObject({
      code: 0,
      recipients: [{ transfers: 1 }],
    });
    const refused = asked.filter((blocks) => blocks > 8);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(asked.length / 2 + 5);
  });

  test('a node of another chain is not queried', async () => {
    await buy('one');
    const other = await entitySearch(['payments', 'audit'], {
      ...stage.env,
      X402_NETWORK: 'eip155:8453',
      X402_ASSET: '',
    });
    expect({ code: other.code, err: other.err }).toEqual({ code: 1, err: expect.stringContaining('chain 84532') });
  });

  test('--from-block limits the comparison to later blocks', async () => {
    await buy('one');
    await makeFinal();
    const first = (await audit()).recipients[0];
    await buy('two');
    await makeFinal();
    const from = String((first?.to_block ?? 0) + 1);
    const part = await audit(['--from-block', from]);
    expect(part.recipients).toMatchObject([{ from_block: Number(from), transfers: 1 }]);
    expect((await audit()).recipients).toMatchObject([{ from_block: first?.from_block, transfers: 2 }]);
    expect((await audit(['--from-block', 'x'])).code).toBe(64);
  });
});

test('doctor reports each problem of the ledger in a sentence with the next step', async () => {
  await buy('one');
  await leaveUnknown(stage, api, 'q=open', await sign());
  await stage.restingRows(payer);
  await plainTransfer(2n);
  await makeFinal();
  expect(await ledgerFindings()).toMatchObject([{ level: 'ok' }]);
  await audit();
  await stage.stage.pool.query(`update x402_payments set created_at = now() - interval '2 hours',
      settled_at = case when status = 'settled' then now() - interval '2 hours' end`);
  await stage.stage.pool.query(
    `update x402_recipients set created_at = now() - interval '2 days', finished_at = now() - interval '2 days'`,
  );
  const there = await ledgerFindings();
  expect(there.map(({ found }) => found)).toEqual([
    expect.stringContaining('1 payment(s) are open for more than an hour'),
    expect.stringContaining('Ledger and chain differ in 1 finding(s)'),
    expect.stringContaining('The audit of 1 recipient(s) has not finished for a day'),
  ]);
  expect(there.filter(({ todo, level }) => todo === null || level !== 'warn')).toEqual([]);
  await stage.stage.pool.query(`update x402_payments set network = 'eip155:8453' where status = 'settling'`);
  expect((await ledgerFindings()).map(({ found }) => found)).toContainEqual(
    expect.stringContaining('1 payment(s) stay open: they are of another network than eip155:84532'),
  );
});

async function ledgerFindings() {
  return (await runDoctor(stage.env)).of('payments');
}
