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
const ids = [await pay(wallet('a'), {}), await pay(wallet('b'), { status: 'released' }), await pay(wallet('a'), {})];

async function addWallets({ accountId }: Member, ...addresses: readonly string[]): Promise<void> {
  await stage.pool.query('insert into account_wallets (account_id, address) select $1, unnest($2::text[])', [
    accountId,
    addresses,
  ]);
}

async function pay(payer: string, { status = 'settled' }: { readonly status?: string }): Promise<number> {
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
      JSON.stringify({ q: 'zk rollups', type: 'all', limit: 10, page: 1 }),
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

test('a wallet that was removed takes its payments along', async () => {
  const dave = await stage.signIn('Dave');
  await addWallets(dave, wallet('e'));
  await pay(wallet('e'), {});
  expect((await dave.get('payments')).body.data.payments).toHaveLength(1);
  await stage.pool.query('delete from account_wallets where address = $1', [wallet('e')]);
  expect((await dave.get('payments')).body.data.payments).toEqual([]);
});
