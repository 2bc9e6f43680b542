import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type pg from 'pg';
import { Ledger } from '../../../dev/explore/payments/ledger.ts';
import type { StoredRow } from '../../../dev/explore/payments/ledger-row.ts';
import type { PaymentRow } from '../../../src/payments/ports.ts';
import { createPaymentRows } from '../../../src/postgres/payments/payments.ts';
import { createPaymentUpkeep } from '../../../src/postgres/payments/upkeep.ts';
import type { ClockedDatabase } from '../engines/clocked-database.ts';
import { type AskedLedger, ask, askedModel, type Command, commandLists, openMax, windows } from './ledger-commands.ts';

// Compares the real ledger with the simulated one: every answer and every row.

const epochMs = 1_800_000_000_000;
const unsettledMax = 16;

function realLedger(pool: pg.Pool): AskedLedger {
  const settings = { queryTimeoutMs: 60_000, openMax, ...windows };
  return { ...createPaymentRows(pool, settings), ...createPaymentUpkeep(pool, settings) };
}

/** Every column of the table, in the form of the simulated ledger. */
async function storedRows(pool: pg.Pool): Promise<unknown[]> {
  const ms = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;
  const { rows } = await pool.query(
    `select id::int, network, asset, pay_to, payer, nonce, amount::text, valid_before::text, signature_hash, status,
       request, request_hash, payment_id, header, body, from_block::int, tx_hash, final, block::int, lease_owner,
       ${ms('created_at')} as created_at, ${ms('updated_at')} as updated_at, ${ms('settled_at')} as settled_at,
       ${ms('delivered_at')} as delivered_at, ${ms('lease_until')} as lease_until,
       case when looked_at is null then 0 else rank() over (order by looked_at) end::int as looked
     from x402_payments order by id`,
  );
  return rows;
}

function storedModel(ledger: Ledger): unknown[] {
  const all = ledger.stored();
  const looks = all.map(({ looked }) => looked).filter((look) => look > 0);
  return all.map(({ id, base, ...row }: StoredRow) => ({
    id,
    network: base.network,
    asset: base.asset,
    pay_to: base.payTo,
    payer: base.payer,
    nonce: base.nonce,
    amount: base.amount.toString(),
    valid_before: base.validBefore.toString(),
    signature_hash: base.signatureHash,
    status: row.status,
    request: row.request,
    request_hash: row.requestHash,
    payment_id: row.paymentId,
    header: row.payment?.header ?? null,
    body: row.body,
    from_block: base.fromBlock,
    tx_hash: row.transaction,
    final: row.final,
    block: row.block,
    lease_owner: row.leaseOwner,
    created_at: base.createdAtMs,
    updated_at: row.updatedAtMs,
    settled_at: row.settledAtMs,
    delivered_at: row.deliveredAtMs,
    lease_until: row.leaseUntilMs,
    looked: row.looked === 0 ? 0 : looks.filter((look) => look < row.looked).length + 1,
  }));
}

function rowsIn(answer: unknown): readonly PaymentRow[] {
  if (Array.isArray(answer)) return answer.flatMap(rowsIn);
  if (typeof answer !== 'object' || answer === null) return [];
  if ('row' in answer) return rowsIn(answer.row);
  return 'leaseOwner' in answer ? [answer as PaymentRow] : [];
}

/** The commands given to both, and their state after the last command: its answer, or all rows. */
interface Difference {
  readonly commands: readonly Command[];
  readonly real: unknown;
  readonly simulated: unknown;
}

/** Runs the commands on both and returns the first difference, or null. */
async function difference(commands: readonly Command[], database: ClockedDatabase): Promise<Difference | null> {
  let now = epochMs;
  await database.empty(now);
  const model = new Ledger({ openMax, unsettledMax, ...windows }, () => now);
  const real = realLedger(database.pool);
  const simulated = askedModel(model);
  const known: PaymentRow[] = [];
  for (const [at, command] of commands.entries()) {
    if (command.do === 'pass') {
      now += command.ms;
      await database.setTime(now);
      continue;
    }
    const answers = [await ask(real, command, known), await ask(simulated, command, known)] as const;
    const rows = [await storedRows(database.pool), storedModel(model)] as const;
    for (const [ofReal, ofModel] of [answers, rows]) {
      if (isDeepStrictEqual(ofReal, ofModel)) continue;
      return { commands: commands.slice(0, at + 1), real: ofReal, simulated: ofModel };
    }
    known.push(...rowsIn(answers[0]));
  }
  return null;
}

/** Returns the shortest difference in this many random lists of commands; null if there is none. */
export async function firstDifference(
  runs: number,
  seed: number,
  database: ClockedDatabase,
): Promise<Difference | null> {
  let last: Difference | null = null;
  const same = fc.asyncProperty(commandLists, async (commands) => {
    const found = await difference(commands, database);
    last = found ?? last;
    return found === null;
  });
  const { errorInstance } = await fc.check(same, { numRuns: runs, seed });
  if (last === null && errorInstance !== null) throw errorInstance;
  return last;
}
