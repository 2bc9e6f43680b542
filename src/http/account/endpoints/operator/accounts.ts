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
import type { Endpoint, EndpointContext } from '../../../endpoint.ts';
import { NotInAccount } from '../../../errors/account-errors.ts';
import { InvalidParameters } from '../../../errors/errors.ts';
import { accountComponents, accountOperation, idParameter } from '../../../openapi/account-operation.ts';
import { envelopeOf, exampleOf } from '../../../openapi/components.ts';
import { queryParameters } from '../../../openapi/query-parameters.ts';
import { parseParameters } from '../../../request/parameters.ts';
import { readJson } from '../../../request/read-json.ts';
import { actorOf } from '../../actor.ts';
import { answer, fromStore } from '../../answer.ts';
import { accountPorts, consoleConfig } from '../../console.ts';
import { sessionOf } from '../../middleware/session.ts';
import { pathId } from '../../path-id.ts';

const readGates = ['slot', 'session', 'operator', 'records slot'] as const;
const changeGates = ['slot', 'same origin', 'session', 'operator'] as const;
const nothing = z.strictObject({});

operatorAccountData.register(accountComponents, { id: 'OperatorAccount' });
const accountsAnswer = envelopeOf(accountPage).register(accountComponents, { id: 'OperatorAccountsAnswer' });
const detailAnswer = envelopeOf(operatorAccountDetail).register(accountComponents, {
  id: 'OperatorAccountDetailAnswer',
});
const accountAnswer = envelopeOf(operatorAccountData).register(accountComponents, { id: 'OperatorAccountAnswer' });
const keyAnswer = envelopeOf(accountKey).register(accountComponents, { id: 'OperatorKeyAnswer' });
const plansAnswer = envelopeOf(plans).register(accountComponents, { id: 'PlansAnswer' });

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

/** Accounts on a page. */
const listed = 50;
const queryMax = 100;
const idMax = 999_999_999_999_999;
const listParameters = z.strictObject({
  query: textUpTo(queryMax).default(''),
  after: wholeNumber(0, idMax).default(0),
});

/** GET /account/api/operator/accounts */
export const operatorAccounts: Endpoint = {
  method: 'get',
  path: '/account/api/operator/accounts',
  gates: readGates,
  operation: () =>
    accountOperation({
      operationId: 'operatorAccounts',
      tag: 'Operator',
      summary: 'Accounts, in the order in which they were opened',
      gates: readGates,
      parameters: queryParameters(listParameters, {
        query: { text: 'A part of the name, or a whole wallet address. Empty: all accounts.' },
        after: { text: "An earlier answer's next." },
      }),
      answer: accountsAnswer,
      examples: { accounts: exampleOf({ accounts: [exampleAccount], next: null }, '1 account.') },
    }),
  handler: (deps) => async (ctx) => {
    const { query, after } = parseParameters(listParameters, ctx.querystring);
    const text = query.trim();
    const { operator } = accountPorts(deps);
    const found = fromStore(await operator.accounts(text === '' ? null : text, after, listed + 1));
    const accounts = found.slice(0, listed);
    const next = found.length > listed ? (accounts.at(-1)?.id ?? null) : null;
    const message = `${counted(accounts.length, 'account')}.`;
    answer(ctx, deps.clock, { accounts, next }, message);
  },
};

/** GET /account/api/operator/accounts/{id} */
export const operatorAccount: Endpoint = {
  method: 'get',
  path: '/account/api/operator/accounts/{id}',
  gates: readGates,
  operation: () =>
    accountOperation({
      operationId: 'operatorAccount',
      tag: 'Operator',
      summary: 'One account, its keys and what it calls',
      gates: readGates,
      parameters: [idParameter('id', "The account's id.")],
      answer: detailAnswer,
      examples: { account: exampleOf({ account: exampleAccount, keys: [], calls_by_day: [] }, 'Example Ltd.') },
      errors: [new NotInAccount('account', 'here')],
    }),
  handler: (deps) => async (ctx) => {
    parseParameters(nothing, ctx.querystring);
    const found = fromStore(await accountPorts(deps).operator.account(pathId(ctx, 'account', 'here')));
    if (found === null) throw new NotInAccount('account', 'here');
    answer(ctx, deps.clock, found, `${found.account.name}.`);
  },
};

/** GET /account/api/operator/plans */
export const operatorPlans: Endpoint = {
  method: 'get',
  path: '/account/api/operator/plans',
  gates: readGates,
  operation: () =>
    accountOperation({
      operationId: 'operatorPlans',
      tag: 'Operator',
      summary: 'Plans and their limits',
      gates: readGates,
      answer: plansAnswer,
      examples: {
        plans: exampleOf(
          { plans: [{ name: 'starter', calls_per_minute: 60, calls_per_month: 50_000, active: true }] },
          '1 plan.',
        ),
      },
    }),
  handler: (deps) => async (ctx) => {
    parseParameters(nothing, ctx.querystring);
    const found = fromStore(await accountPorts(deps).operator.plans());
    answer(ctx, deps.clock, { plans: found }, `${counted(found.length, 'plan')}.`);
  },
};

const suspension = z.strictObject({ suspended: z.boolean({ error: 'must be true or false' }) });

/** POST /account/api/operator/accounts/{id}/suspension */
export const accountSuspension: Endpoint = {
  method: 'post',
  path: '/account/api/operator/accounts/{id}/suspension',
  gates: changeGates,
  operation: () =>
    accountOperation({
      operationId: 'suspendAccount',
      tag: 'Operator',
      summary: 'Suspend an account, or resume it',
      description:
        "The account's sessions are refused at once, its keys within five seconds (403). Nothing is lost by it.",
      gates: changeGates,
      parameters: [idParameter('id', "The account's id; not the operator's own.")],
      body: suspension,
      answer: accountAnswer,
      examples: { suspended: exampleOf({ ...exampleAccount, active: false }, 'Suspended Example Ltd.') },
      errors: [new NotInAccount('account', 'here')],
    }),
  handler: (deps) => async (ctx) => {
    parseParameters(nothing, ctx.querystring);
    const act = actOf(ctx);
    const { suspended } = await readJson(ctx, suspension, consoleConfig(deps).bodyMaxBytes);
    if (suspended && act.accountId === act.operatorId)
      throw new InvalidParameters([{ path: 'id', message: "is the operator's own account: ask another operator" }]);
    const account = fromStore(await accountPorts(deps).operator.suspend(act, suspended));
    if (account === null) throw new NotInAccount('account', 'here');
    answer(ctx, deps.clock, account, `${suspended ? 'Suspended' : 'Resumed'} ${account.name}.`);
  },
};

const planChange = z.strictObject({
  plan: z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/, { error: 'must be the name of an active plan' }),
});

/** POST /account/api/operator/accounts/{id}/plan */
export const accountPlan: Endpoint = {
  method: 'post',
  path: '/account/api/operator/accounts/{id}/plan',
  gates: changeGates,
  operation: () =>
    accountOperation({
      operationId: 'changePlan',
      tag: 'Operator',
      summary: "Change an account's plan",
      description: 'Its limits count from the next call on, for keys within five seconds.',
      gates: changeGates,
      parameters: [idParameter('id', "The account's id.")],
      body: planChange,
      answer: accountAnswer,
      examples: { changed: exampleOf({ ...exampleAccount, plan: 'growth' }, 'Example Ltd has the plan growth.') },
      errors: [new NotInAccount('account', 'here')],
    }),
  handler: (deps) => async (ctx) => {
    parseParameters(nothing, ctx.querystring);
    const act = actOf(ctx);
    const { plan } = await readJson(ctx, planChange, consoleConfig(deps).bodyMaxBytes);
    const account = fromStore(await accountPorts(deps).operator.changePlan(act, plan));
    if (account === 'no plan')
      throw new InvalidParameters([{ path: 'plan', message: 'must be the name of an active plan' }]);
    if (account === null) throw new NotInAccount('account', 'here');
    answer(ctx, deps.clock, account, `${account.name} has the plan ${account.plan}.`);
  },
};

const revokeGates = [...changeGates, 'records slot'] as const;

/** DELETE /account/api/operator/keys/{id} */
export const operatorRevokedKey: Endpoint = {
  method: 'delete',
  path: '/account/api/operator/keys/{id}',
  gates: revokeGates,
  operation: () =>
    accountOperation({
      operationId: 'operatorRevokeKey',
      tag: 'Operator',
      summary: 'Revoke a key of any account for good',
      gates: revokeGates,
      parameters: [idParameter('id', "The key's id.")],
      answer: keyAnswer,
      errors: [new NotInAccount('key', 'here')],
    }),
  handler: (deps) => async (ctx) => {
    parseParameters(nothing, ctx.querystring);
    const keyId = pathId(ctx, 'key', 'here');
    const { operatorId, actor } = actOf(ctx);
    const revoked = fromStore(await accountPorts(deps).operator.revokeKey(keyId, { operatorId, actor }));
    if (revoked === null) throw new NotInAccount('key', 'here');
    answer(ctx, deps.clock, revoked, `Revoked ${revoked.name}.`);
  },
};

function actOf(ctx: EndpointContext): OperatorAct {
  const { name, ip } = actorOf(ctx);
  const actor = { name: `operator ${name}`, ip };
  return { accountId: pathId(ctx, 'account', 'here'), operatorId: sessionOf(ctx).account.id, actor };
}
