import { z } from 'zod';
import { sessionState } from '../../../account/answers.ts';
import { counted } from '../../../lib/text/counted.ts';
import { count } from '../../../lib/wire-schema.ts';
import { ServiceUnavailable } from '../../errors/errors.ts';
import { answerOf } from '../../openapi/account-operation.ts';
import { accountEndpoint } from '../account-endpoint.ts';
import { accountPorts, fromStore } from '../console.ts';
import { forgetSession } from '../cookies.ts';
import { actorOf, findSession, sessionOf } from '../middleware/session.ts';
import { signedInExamples, signedInReply, visitorExample, visitorReply } from '../session-view.ts';

const nothing = z.strictObject({});

export const session = accountEndpoint({
  method: 'get',
  path: 'session',
  gates: ['slot'],
  query: nothing,
  answer: answerOf('SessionAnswer', sessionState),
  operation: () => ({
    operationId: 'session',
    tag: 'Session',
    summary: 'The current session, and the ways to sign in',
    examples: { ...signedInExamples, visitor: visitorExample },
    errors: [new ServiceUnavailable(null)],
  }),
  handler:
    (deps, config) =>
    async ({ ctx }) => {
      const found = await findSession(deps, config, ctx);
      return found === null ? visitorReply(ctx, config) : signedInReply(ctx, config, found, deps.clock);
    },
});

/** Sign-out also succeeds without a session. */
export const signOut = accountEndpoint({
  method: 'post',
  path: 'sign-out',
  gates: ['slot', 'same origin'],
  body: nothing,
  answer: answerOf('SignOutAnswer', nothing),
  operation: () => ({
    operationId: 'signOut',
    tag: 'Session',
    summary: 'End this session',
    examples: { 'signed out': [{}, 'Signed out.'] },
    errors: [new ServiceUnavailable(null)],
  }),
  handler:
    (deps, config) =>
    async ({ ctx }) => {
      const { sessionList } = accountPorts(deps);
      const found = await findSession(deps, config, ctx);
      if (found !== null) fromStore(await sessionList.signOut(found.account.id, found.sessionId, actorOf(ctx, found)));
      forgetSession(ctx, config);
      return [{}, 'Signed out.'];
    },
});

export const signOutEverywhere = accountEndpoint({
  method: 'post',
  path: 'sign-out-everywhere',
  gates: ['slot', 'same origin', 'session'],
  body: nothing,
  answer: answerOf('SignOutEverywhereAnswer', z.strictObject({ sessions: count })),
  operation: () => ({
    operationId: 'signOutEverywhere',
    tag: 'Session',
    summary: 'End all sessions of the account, this one included',
    examples: { 'signed out': [{ sessions: 3 }, 'Signed out everywhere: 3 sessions have ended.'] },
  }),
  handler:
    (deps, config) =>
    async ({ ctx }) => {
      const { id } = sessionOf(ctx).account;
      const ended = fromStore(await accountPorts(deps).sessionList.signOutEverywhere(id, actorOf(ctx)));
      forgetSession(ctx, config);
      return [{ sessions: ended }, `Signed out everywhere: ${counted(ended, 'session has', 'sessions have')} ended.`];
    },
});
