import { z } from 'zod';
import {
  accountKey,
  operatorAccounts as accountPage,
  operatorAccount as operatorAccountData,
  operatorAccountDetail,
  plans,
} from '../../../../account/answers.ts';
import type { OperatorAct } from '../../../../account/data.ts';
import { textUpTo, wholeNumber } from '../../../../lib/parameter-schemas.ts';
import { counted } from '../../../../lib/text/counted.ts';
import type { Context } from '../../../context.ts';
import { NotInAccount } from '../../../errors/account-errors.ts';
import { InvalidParameters } from '../../../errors/errors.ts';
import { accountComponents } from '../../../openapi/components.ts';
import { accountEndpoint } from '../../account-endpoint.ts';
import { actorOf, sessionOf } from '../../middleware/session.ts';

const readGates = ['slot', 'session', 'operator', 'records slot'] as const;
const changeGates = ['slot', 'same origin', 'session', 'operator'] as const;
const accountId = { of: 'account', where: 'here', text: "The account's id." } as const;

operatorAccountData.register(accountComponents, { id: 'OperatorAccount' });
const accountAnswer = operatorAccountData;

const listed = 50;
const queryMax = 100;
const idMax = 999_999_999_999_999;
export const operatorAccounts = accountEndpoint({
  method: 'get',
  path: 'operator/accounts',
  gates: readGates,
  query: z.strictObject({ query: textUpTo(queryMax).default(''), after: wholeNumber(0, idMax).default(0) }),
  texts: {
    query: { text: 'A part of the name, or a whole wallet address. Empty: all accounts.' },
    after: { text: "An earlier answer's next." },
  },
  answer: accountPage,
  summary: 'Accounts, in the order in which they were opened',
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
  id: accountId,
  answer: operatorAccountDetail,
  summary: 'One account, its keys and what it calls',
  handler: async ({ account, id }) => {
    const found = await account.operator.account(id);
    if (found === null) throw new NotInAccount('account', 'here');
    return [found, `${found.account.name}.`];
  },
});

export const operatorPlans = accountEndpoint({
  method: 'get',
  path: 'operator/plans',
  gates: readGates,
  answer: plans,
  summary: 'Plans and their limits',
  handler: async ({ account }) => {
    const found = await account.operator.plans();
    return [{ plans: found }, `${counted(found.length, 'plan')}.`];
  },
});

export const accountSuspension = accountEndpoint({
  method: 'post',
  path: 'operator/accounts/{id}/suspension',
  gates: changeGates,
  id: { ...accountId, text: "The account's id; not the operator's own." },
  body: z.strictObject({ suspended: z.boolean({ error: 'must be true or false' }) }),
  answer: accountAnswer,
  summary: 'Suspend an account, or resume it',
  description: "The account's sessions are refused at once, its keys within five seconds (403). Nothing is lost by it.",
  handler: async ({ account, ctx, id, body: { suspended } }) => {
    const act = { accountId: id, ...operatorOf(ctx) };
    if (suspended && act.accountId === act.operatorId)
      throw new InvalidParameters([{ path: 'id', message: "is the operator's own account: ask another operator" }]);
    const changed = await account.operator.suspend(act, suspended);
    if (changed === null) throw new NotInAccount('account', 'here');
    return [changed, `${suspended ? 'Suspended' : 'Resumed'} ${changed.name}.`];
  },
});

const noSuchPlan = 'must be the name of an active plan';

export const accountPlan = accountEndpoint({
  method: 'post',
  path: 'operator/accounts/{id}/plan',
  gates: changeGates,
  id: accountId,
  body: z.strictObject({ plan: z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/, { error: noSuchPlan }) }),
  answer: accountAnswer,
  summary: "Change an account's plan",
  description: 'Its limits count from the next call on, for keys within five seconds.',
  handler: async ({ account, ctx, id, body: { plan } }) => {
    const changed = await account.operator.changePlan({ accountId: id, ...operatorOf(ctx) }, plan);
    if (changed === 'no plan') throw new InvalidParameters([{ path: 'plan', message: noSuchPlan }]);
    if (changed === null) throw new NotInAccount('account', 'here');
    return [changed, `${changed.name} has the plan ${changed.plan}.`];
  },
});

export const operatorRevokedKey = accountEndpoint({
  method: 'delete',
  path: 'operator/keys/{id}',
  gates: [...changeGates, 'records slot'],
  id: { of: 'key', where: 'here', text: "The key's id." },
  answer: accountKey,
  summary: 'Revoke a key of any account for good',
  handler: async ({ account, ctx, id }) => {
    const revoked = await account.operator.revokeKey(id, operatorOf(ctx));
    if (revoked === null) throw new NotInAccount('key', 'here');
    return [revoked, `Revoked ${revoked.name}.`];
  },
});

/** Returns the operator who acts, with their name for audits. */
function operatorOf(ctx: Context): Omit<OperatorAct, 'accountId'> {
  const { name, ip } = actorOf(ctx);
  return { operatorId: sessionOf(ctx).account.id, actor: { name: `operator ${name}`, ip } };
}
