import { z } from 'zod';
import {
  accountKey,
  operatorAccounts as accountPage,
  operatorAccount as operatorAccountData,
  operatorAccountDetail,
  plans,
} from '../../../../account/answers.ts';
import type { OperatorAct } from '../../../../account/operator.ts';
import { textUpTo, wholeNumber } from '../../../../lib/parameter-schemas.ts';
import { counted } from '../../../../lib/text/counted.ts';
import type { Context } from '../../../context.ts';
import { NotInAccount } from '../../../errors/account-errors.ts';
import { InvalidParameters } from '../../../errors/errors.ts';
import { accountComponents, answerOf } from '../../../openapi/account-operation.ts';
import { accountEndpoint } from '../../account-endpoint.ts';
import { accountPorts, fromStore } from '../../console.ts';
import { actorOf, sessionOf } from '../../middleware/session.ts';

const readGates = ['slot', 'session', 'operator', 'records slot'] as const;
const changeGates = ['slot', 'same origin', 'session', 'operator'] as const;
const nothing = z.strictObject({});
const accountId = { of: 'account', where: 'here', text: "The account's id." } as const;

operatorAccountData.register(accountComponents, { id: 'OperatorAccount' });
const accountAnswer = answerOf('OperatorAccountAnswer', operatorAccountData);

const exampleAccount = {
  id: 7,
  name: 'Example Ltd',
  plan: 'starter',
  role: 'member',
  active: true,
  live_keys: 2,
  used_this_month: 3_921,
  created_at: '2026-01-31T12:00:00.000Z',
} as const;

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
  answer: answerOf('OperatorAccountsAnswer', accountPage),
  operation: () => ({
    operationId: 'operatorAccounts',
    tag: 'Operator',
    summary: 'Accounts, in the order in which they were opened',
    examples: { accounts: [{ accounts: [exampleAccount], next: null }, '1 account.'] },
  }),
  handler:
    (deps) =>
    async ({ query: { query, after } }) => {
      const text = query.trim();
      const { operator } = accountPorts(deps);
      const found = fromStore(await operator.accounts(text === '' ? null : text, after, listed + 1));
      const accounts = found.slice(0, listed);
      const next = found.length > listed ? (accounts.at(-1)?.id ?? null) : null;
      return [{ accounts, next }, `${counted(accounts.length, 'account')}.`];
    },
});

export const operatorAccount = accountEndpoint({
  method: 'get',
  path: 'operator/accounts/{id}',
  gates: readGates,
  query: nothing,
  id: accountId,
  answer: answerOf('OperatorAccountDetailAnswer', operatorAccountDetail),
  operation: () => ({
    operationId: 'operatorAccount',
    tag: 'Operator',
    summary: 'One account, its keys and what it calls',
    examples: { account: [{ account: exampleAccount, keys: [], calls_by_day: [] }, 'Example Ltd.'] },
    errors: [new NotInAccount('account', 'here')],
  }),
  handler:
    (deps) =>
    async ({ id }) => {
      const found = fromStore(await accountPorts(deps).operator.account(id));
      if (found === null) throw new NotInAccount('account', 'here');
      return [found, `${found.account.name}.`];
    },
});

export const operatorPlans = accountEndpoint({
  method: 'get',
  path: 'operator/plans',
  gates: readGates,
  query: nothing,
  answer: answerOf('PlansAnswer', plans),
  operation: () => ({
    operationId: 'operatorPlans',
    tag: 'Operator',
    summary: 'Plans and their limits',
    examples: {
      plans: [{ plans: [{ name: 'starter', calls_per_minute: 60, calls_per_month: 50_000, active: true }] }, '1 plan.'],
    },
  }),
  handler: (deps) => async () => {
    const found = fromStore(await accountPorts(deps).operator.plans());
    return [{ plans: found }, `${counted(found.length, 'plan')}.`];
  },
});

export const accountSuspension = accountEndpoint({
  method: 'post',
  path: 'operator/accounts/{id}/suspension',
  gates: changeGates,
  query: nothing,
  id: { ...accountId, text: "The account's id; not the operator's own." },
  body: z.strictObject({ suspended: z.boolean({ error: 'must be true or false' }) }),
  answer: accountAnswer,
  operation: () => ({
    operationId: 'suspendAccount',
    tag: 'Operator',
    summary: 'Suspend an account, or resume it',
    description:
      "The account's sessions are refused at once, its keys within five seconds (403). Nothing is lost by it.",
    examples: { suspended: [{ ...exampleAccount, active: false }, 'Suspended Example Ltd.'] },
    errors: [new NotInAccount('account', 'here')],
  }),
  handler:
    (deps) =>
    async ({ ctx, id, body: { suspended } }) => {
      const act = { accountId: id, ...operatorOf(ctx) };
      if (suspended && act.accountId === act.operatorId)
        throw new InvalidParameters([{ path: 'id', message: "is the operator's own account: ask another operator" }]);
      const account = fromStore(await accountPorts(deps).operator.suspend(act, suspended));
      if (account === null) throw new NotInAccount('account', 'here');
      return [account, `${suspended ? 'Suspended' : 'Resumed'} ${account.name}.`];
    },
});

const noSuchPlan = 'must be the name of an active plan';

export const accountPlan = accountEndpoint({
  method: 'post',
  path: 'operator/accounts/{id}/plan',
  gates: changeGates,
  query: nothing,
  id: accountId,
  body: z.strictObject({ plan: z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/, { error: noSuchPlan }) }),
  answer: accountAnswer,
  operation: () => ({
    operationId: 'changePlan',
    tag: 'Operator',
    summary: "Change an account's plan",
    description: 'Its limits count from the next call on, for keys within five seconds.',
    examples: { changed: [{ ...exampleAccount, plan: 'growth' }, 'Example Ltd has the plan growth.'] },
    errors: [new NotInAccount('account', 'here')],
  }),
  handler:
    (deps) =>
    async ({ ctx, id, body: { plan } }) => {
      const account = fromStore(
        await accountPorts(deps).operator.changePlan({ accountId: id, ...operatorOf(ctx) }, plan),
      );
      if (account === 'no plan') throw new InvalidParameters([{ path: 'plan', message: noSuchPlan }]);
      if (account === null) throw new NotInAccount('account', 'here');
      return [account, `${account.name} has the plan ${account.plan}.`];
    },
});

export const operatorRevokedKey = accountEndpoint({
  method: 'delete',
  path: 'operator/keys/{id}',
  gates: [...changeGates, 'records slot'],
  query: nothing,
  id: { of: 'key', where: 'here', text: "The key's id." },
  answer: answerOf('OperatorKeyAnswer', accountKey),
  operation: () => ({
    operationId: 'operatorRevokeKey',
    tag: 'Operator',
    summary: 'Revoke a key of any account for good',
    errors: [new NotInAccount('key', 'here')],
  }),
  handler:
    (deps) =>
    async ({ ctx, id }) => {
      const revoked = fromStore(await accountPorts(deps).operator.revokeKey(id, operatorOf(ctx)));
      if (revoked === null) throw new NotInAccount('key', 'here');
      return [revoked, `Revoked ${revoked.name}.`];
    },
});

/** Returns the operator who acts, with their name for audits. */
function operatorOf(ctx: Context): Omit<OperatorAct, 'accountId'> {
  const { name, ip } = actorOf(ctx);
  return { operatorId: sessionOf(ctx).account.id, actor: { name: `operator ${name}`, ip } };
}
