import { localAsset } from '../../../dev/chain/network.ts';
import { forFile } from '../../support/for-file.ts';
import { type Member, setConnectedAccountStage } from '../../support/stages/account/connected.ts';

const wallet = (digit: string): string => `0x${digit.repeat(40)}`;
const transaction = `0x${'ab'.repeat(32)}`;
const payTo = wallet('9');

let nonces = 0;

const stage = await forFile(setConnectedAccountStage());
const alice = await stage.signIn('Alice');
await addWallets(alice, wallet('a'), wallet('b'));
/** Ids of payments, in their order. */
const ids = [
  await pay(wallet('a'), { q: '=HYPERLINK("x"),"y"' }),
  await pay(wallet('b'), { status: 'released' }),
  await pay(wallet('a'), {}),
];

async function addWallets({ accountId }: Member, ...addresses: readonly string[]): Promise<void> {
  await stage.pool.query('insert into account_wallets (account_id, address) select $1, unnest($2::text[])', [
    accountId,
    addresses,
  ]);
}

async function pay(
  payer: string,
  { status = 'settled', q = 'zk rollups' }: { readonly status?: string; readonly q?: string },
): Promise<number> {
  nonces += 1;
  const settled = status === 'settled';
  const { rows } = await stage.pool.query<{ id: string }>(
    `insert into x402_payments (network, asset, pay_to, payer, nonce, amount, valid_before, status, request, request_hash,
       signature_hash, from_block, header, tx_hash, settled_at, delivered_at, final)
     values ($1, lower($2), $3, $4, $5, 10000, 2000000000, $6, $7, $8, $8, 0, 'header', $9, $10, $10, $11) returning id`,
    [
      localAsset.network,
      localAsset.address,
      payTo,
      payer,
      `0x${String(nonces).padStart(64, '0')}`,
      status,
      JSON.stringify({ q, type: 'all', limit: 10, page: 1 }),
      String(nonces).padStart(64, '0'),
      settled ? transaction : null,
      settled ? new Date('2026-01-31T12:00:02Z') : null,
      settled,
    ],
  );
  return Number(rows[0]?.id);
}

test('the payments of all wallets of the account are listed, the newest first', async () => {
  const { status, body } = await alice.get('payments');
  expect(status).toBe(200);
  expect(body.data.payments.map(({ id }: { id: number }) => id)).toEqual(ids.toReversed());
  expect(body.data.next).toBeNull();
  expect(body.data.payments[0]).toEqual({
    id: ids[2],
    status: 'settled',
    network: 'eip155:84532',
    payer: wallet('a'),
    amount: '10000',
    amount_usd: '0.01',
    asset_symbol: 'USDC',
    network_title: 'Base Sepolia',
    transaction,
    transaction_url: `https://sepolia.basescan.org/tx/${transaction}`,
    final: true,
    created_at: expect.any(String),
    settled_at: '2026-01-31T12:00:02.000Z',
    delivered_at: '2026-01-31T12:00:02.000Z',
    request: { q: 'zk rollups', type: 'all', limit: 10, page: 1 },
  });
  expect(body.data.payments[1]).toMatchObject({ status: 'released', transaction: null, transaction_url: null });
});

test('pages follow each other without gap or repetition', async () => {
  const first = (await alice.get('payments?limit=2')).body.data;
  expect(first.next).toBe(ids[1]);
  const second = (await alice.get(`payments?limit=2&before=${first.next}`)).body.data;
  expect([...first.payments, ...second.payments].map(({ id }: { id: number }) => id)).toEqual(ids.toReversed());
  expect(second.next).toBeNull();
  for (const wrong of ['limit=0', 'limit=101', 'before=0', 'before=x', 'payer=0x']) {
    expect((await alice.get(`payments?${wrong}`)).status).toBe(400);
  }
});

test('a receipt is a file with what a bookkeeper needs', async () => {
  const { status, headers, body } = await alice.get(`payments/${ids[0]}/receipt`);
  expect(status).toBe(200);
  expect(headers.get('content-disposition')).toBe(`attachment; filename="receipt-${ids[0]}.json"`);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(body).toEqual({
    payment: ids[0],
    description: 'One search, paid by x402',
    paid_at: '2026-01-31T12:00:02.000Z',
    delivered_at: '2026-01-31T12:00:02.000Z',
    amount_usd: '0.01',
    amount: '10000',
    token: { symbol: 'USDC', address: localAsset.address, decimals: 6 },
    network: { name: 'eip155:84532', title: 'Base Sepolia', chain_id: 84_532, testnet: true },
    from: wallet('a'),
    to: payTo,
    transaction,
    transaction_url: `https://sepolia.basescan.org/tx/${transaction}`,
    final: true,
    request: { q: '=HYPERLINK("x"),"y"', type: 'all', limit: 10, page: 1 },
  });
});

test('tables are safe to open: what a spreadsheet would calculate is text', async () => {
  const { headers, text } = await alice.get('payments.csv');
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(headers.get('content-disposition')).toBe('attachment; filename="payments.csv"');
  expect(text).toContain(`,"'=HYPERLINK(""x""),""y""",all\r\n`);
  expect((await alice.get(`payments.csv?before=${ids[1]}`)).text.trimEnd().split('\r\n')).toHaveLength(2);
  const lines = text.trimEnd().split('\r\n');
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatch(/^id,status,created_at,.*,amount_usd,transaction,/);
});

test('an unpaid search has no receipt', async () => {
  expect((await alice.get(`payments/${ids[1]}/receipt`)).status).toBe(404);
});

test('a wallet that was removed takes its payments along', async () => {
  const dave = await stage.signIn('Dave');
  await addWallets(dave, wallet('e'));
  const id = await pay(wallet('e'), {});
  expect((await dave.get(`payments/${id}/receipt`)).status).toBe(200);
  await stage.pool.query('delete from account_wallets where address = $1', [wallet('e')]);
  expect((await dave.get(`payments/${id}/receipt`)).status).toBe(404);
  expect((await dave.get('payments')).body.data.payments).toEqual([]);
});
