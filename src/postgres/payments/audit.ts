import type pg from 'pg';
import { z } from 'zod';
import type { AuditAccount, ComparedBlocks, Discrepancy } from '../../payments/ledger/audit.ts';
import type { AuditLease, AuditPosition, AuditPositions } from '../../payments/ledger/audit-run.ts';
import { networkNames } from '../../payments/protocol/networks.ts';
import { lowerHex } from '../../payments/protocol/payload.ts';
import { auditSql } from './audit-sql.ts';
import { createPaymentFinder, type PaymentRowSettings, queryWith, type Statement } from './payments.ts';

const hex = z.string().regex(/^0x/).transform(lowerHex);
const units = z.string().transform(BigInt);

const target = z
  .object({
    network: z.enum(networkNames),
    asset: hex,
    pay_to: hex,
    from_block: z.int().nullable(),
    since_seconds: z.int().nullable(),
  })
  .transform(({ network, asset, pay_to: payTo, from_block: fromBlock, since_seconds: sinceSeconds }) => ({
    account: { network, asset, payTo },
    fromBlock,
    sinceSeconds,
  }));

const position = z
  .object({ first_block: z.int(), last_block: z.int(), transfers: z.int(), received: units })
  .transform(({ first_block: firstBlock, last_block: lastBlock, ...sums }) => ({ firstBlock, lastBlock, ...sums }));

const settledRow = z
  .object({ id: z.int(), tx_hash: hex, block: z.int(), payer: hex, amount: units })
  .transform(({ tx_hash: transaction, ...row }) => ({ ...row, transaction }));

/** The audit's side of the database: positions, findings, and the rows that are compared. */
export function createAuditPositions(pool: pg.Pool, settings: PaymentRowSettings): AuditPositions {
  const query = queryWith(pool, settings.queryTimeoutMs);
  const of = (statement: Statement, account: AuditAccount, ...values: unknown[]) =>
    query(statement, [account.network, account.asset, account.payTo, ...values]);
  const positionOf = ({ rows }: pg.QueryResult): AuditPosition | null =>
    rows[0] === undefined ? null : position.parse(rows[0]);
  return {
    find: createPaymentFinder(pool, settings),
    async targets(again) {
      const { rows } = await query(auditSql.targets, [again]);
      return z.array(target).parse(rows);
    },
    async take(account, firstBlock, { owner, ms, restMs }) {
      await of(auditSql.open, account, firstBlock);
      return positionOf(await of(auditSql.take, account, owner, ms, restMs));
    },
    restart: async (account, firstBlock, { owner }) =>
      positionOf(await of(auditSql.restart, account, owner, firstBlock)),
    async save(account, compared, { owner }) {
      const { fromBlock, toBlock, transfers, received } = compared;
      return positionOf(await of(auditSql.save, account, owner, fromBlock, toBlock, transfers, String(received)));
    },
    async renew(account, { owner, ms }) {
      await of(auditSql.renew, account, owner, ms);
    },
    async release(account, { owner }: AuditLease, finished) {
      await of(auditSql.release, account, owner, finished);
    },
    async openBlocks(account, max) {
      const { rows } = await of(auditSql.openBlocks, account, max);
      return z
        .array(z.object({ block: z.int() }))
        .parse(rows)
        .map(({ block }) => block);
    },
    async settledSum(account, { fromBlock, toBlock }) {
      const { rows } = await of(auditSql.settledSum, account, fromBlock, toBlock);
      return z.tuple([z.object({ sum: units })]).parse(rows)[0].sum;
    },
    async noteBlocks(places) {
      if (places.length > 0) await query(auditSql.noteBlocks, [JSON.stringify(places)]);
    },
    async settledBut(account, { fromBlock, toBlock }, ids, { after, max }) {
      const { rows } = await of(auditSql.settledBut, account, fromBlock, toBlock, ids, after.block, after.id, max);
      return z.array(settledRow).parse(rows);
    },
    async tell(account, { fromBlock, toBlock, discrepancies }: ComparedBlocks) {
      const { rows } = await of(auditSql.tell, account, fromBlock, toBlock, JSON.stringify(discrepancies.map(toJson)));
      return z.tuple([z.object({ new: z.int() })]).parse(rows)[0].new;
    },
  };
}

function toJson(discrepancy: Discrepancy): Readonly<Record<string, unknown>> {
  return { ...discrepancy, amount: String(discrepancy.amount) };
}
