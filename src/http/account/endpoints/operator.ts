import { z } from 'zod';
import {
  accountKey,
  operatorAccounts as accountPage,
  indexState,
  type Ledger,
  ledger,
  operatorAccount as operatorAccountData,
  operatorAccountDetail,
} from '../../../account/answers.ts';
import type { GenerationState, OperatorAct, PaymentSum } from '../../../account/ports.ts';
import { textUpTo, wholeNumber } from '../../../lib/parameter-schemas.ts';
import { counted } from '../../../lib/text/counted.ts';
import { assetOf, usd } from '../../../payments/protocol/assets.ts';
import type { Deps } from '../../../ports.ts';
import type { Context } from '../../context.ts';
import { NotInAccount } from '../../errors/account-errors.ts';
import { InvalidParameters } from '../../errors/errors.ts';
import { clientAborted } from '../../server/on-finished.ts';
import { accountEndpoint } from '../account-endpoint.ts';
import { actorOf, sessionOf } from '../middleware/session.ts';

const readGates = ['slot', 'session', 'operator', 'records slot'] as const;
const changeGates = ['slot', 'same origin', 'session', 'operator'] as const;

const listed = 50;
const queryMax = 100;
const idMax = 999_999_999_999_999;
export const operatorAccounts = accountEndpoint({
  method: 'get',
  path: 'operator/accounts',
  gates: readGates,
  query: z.strictObject({ query: textUpTo(queryMax).default(''), after: wholeNumber(0, idMax).default(0) }),
  answer: accountPage,
  handler: async ({ account, query: { query, after } }) => {
    const text = query.trim();
    const found = await account.operator.accounts(text === '' ? null : text, after, listed + 1);
    const accounts = found.slice(0, listed);
    const next = found.length > listed ? (accounts.at(-1)?.id ?? null) : null;
    return [{ accounts, next }, `${counted(accounts.length, 'account')}.`];
  },
});

export const operatorAccount = accountEndpoint({
  method: 'get',
  path: 'operator/accounts/{id}',
  gates: readGates,
  id: 'account',
  answer: operatorAccountDetail,
  handler: async ({ account, id }) => {
    const found = await account.operator.account(id);
    if (found === null) throw new NotInAccount('account');
    return [found, `${found.account.name}.`];
  },
});

/** Sessions of a suspended account are refused at once, its keys within five seconds. */
export const accountSuspension = accountEndpoint({
  method: 'post',
  path: 'operator/accounts/{id}/suspension',
  gates: changeGates,
  id: 'account',
  body: z.strictObject({ suspended: z.boolean({ error: 'must be true or false' }) }),
  answer: operatorAccountData,
  handler: async ({ account, ctx, id, body: { suspended } }) => {
    const act = { accountId: id, ...operatorOf(ctx) };
    if (suspended && act.accountId === act.operatorId)
      throw new InvalidParameters([{ path: 'id', message: "is the operator's own account: ask another operator" }]);
    const changed = await account.operator.suspend(act, suspended);
    if (changed === null) throw new NotInAccount('account');
    return [changed, `${suspended ? 'Suspended' : 'Resumed'} ${changed.name}.`];
  },
});

const noSuchPlan = 'must be the name of an active plan';

export const accountPlan = accountEndpoint({
  method: 'post',
  path: 'operator/accounts/{id}/plan',
  gates: changeGates,
  id: 'account',
  body: z.strictObject({ plan: z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/, { error: noSuchPlan }) }),
  answer: operatorAccountData,
  handler: async ({ account, ctx, id, body: { plan } }) => {
    const changed = await account.operator.changePlan({ accountId: id, ...operatorOf(ctx) }, plan);
    if (changed === 'no plan') throw new InvalidParameters([{ path: 'plan', message: noSuchPlan }]);
    if (changed === null) throw new NotInAccount('account');
    return [changed, `${changed.name} has the plan ${changed.plan}.`];
  },
});

export const operatorRevokedKey = accountEndpoint({
  method: 'delete',
  path: 'operator/keys/{id}',
  gates: [...changeGates, 'records slot'],
  id: 'key',
  answer: accountKey,
  handler: async ({ account, ctx, id }) => {
    const revoked = await account.operator.revokeKey(id, operatorOf(ctx));
    if (revoked === null) throw new NotInAccount('key');
    return [revoked, `Revoked ${revoked.name}.`];
  },
});

/** Returns the operator who acts, with their name for audits. */
function operatorOf(ctx: Context): Omit<OperatorAct, 'accountId'> {
  const { name, ip } = actorOf(ctx);
  return { operatorId: sessionOf(ctx).account.id, actor: { name: `operator ${name}`, ip } };
}

export const operatorIndex = accountEndpoint({
  method: 'get',
  path: 'operator/index',
  gates: readGates,
  answer: indexState,
  handler: async ({ account, ctx, deps }) => {
    const found = await account.operator.index();
    const generations = await Promise.all(
      found.map(async (one) => ({ ...one, documents: await countDocuments(deps, ctx, one) })),
    );
    return [{ generations }, `${counted(generations.length, 'index', 'indices')}.`];
  },
});

const countTimeoutMs = 1_000;
const total = z.object({ hits: z.object({ total: z.object({ value: z.int() }) }) });

/** Counts the documents of an index; null if Elasticsearch does not answer or has no such index. */
async function countDocuments({ search }: Deps, ctx: Context, { index }: GenerationState): Promise<number | null> {
  const reply = await search.search({
    indices: [index],
    body: { size: 0, track_total_hits: true },
    filterPath: 'hits.total',
    timeoutMs: countTimeoutMs,
    signal: clientAborted(ctx),
  });
  if (!reply.ok) return null;
  return total.safeParse(reply.body).data?.hits.total.value ?? null;
}

export const operatorPayments = accountEndpoint({
  method: 'get',
  path: 'operator/payments',
  gates: readGates,
  answer: ledger,
  handler: async ({ account }) => {
    const { sums, audited_at, recipients, open_findings } = await account.operator.ledger();
    const data = {
      by_status: [...Map.groupBy(sums, ({ status }) => status)].map(([status, same]) => toStatus(status, same)),
      audit: recipients === 0 ? null : { finished_at: audited_at, recipients, open_findings },
    };
    const payments = sums.reduce((sum, { count: some }) => sum + some, 0);
    return [data, `${counted(payments, 'payment')}.`];
  },
});

/** Adds dollars of several tokens, each with its own decimals. */
function toStatus(status: string, sums: readonly PaymentSum[]): Ledger['by_status'][number] {
  const decimals = Math.max(...sums.map((sum) => assetOf(sum).decimals));
  const amount = sums.reduce(
    (total, sum) => total + BigInt(sum.amount) * 10n ** BigInt(decimals - assetOf(sum).decimals),
    0n,
  );
  return { status, count: sums.reduce((total, sum) => total + sum.count, 0), amount_usd: usd(amount, { decimals }) };
}
