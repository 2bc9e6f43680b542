import { z } from 'zod';
import type { ConsoleConfig } from '../../../config/console.ts';
import { counted } from '../../../lib/text/counted.ts';
import { count } from '../../../lib/wire-schema.ts';
import type { Context } from '../../context.ts';
import type { Endpoint } from '../../endpoint.ts';
import { ServiceUnavailable } from '../../errors/errors.ts';
import { accountComponents, accountOperation } from '../../openapi/account-operation.ts';
import { envelopeOf, exampleOf } from '../../openapi/components.ts';
import { parseParameters } from '../../request/parameters.ts';
import { readJson } from '../../request/read-json.ts';
import { actorIn, actorOf } from '../actor.ts';
import { answer, fromStore } from '../answer.ts';
import { accountPorts, consoleConfig } from '../console.ts';
import { findSession, sessionOf } from '../middleware/session.ts';
import { clearCookie } from '../session/cookies.ts';
import { sessionAnswer, sessionExamples, signedInView, visitorView } from '../session/view.ts';

/** GET /account/api/session: who is signed in, and how one can sign in. */
export const session: Endpoint = {
  method: 'get',
  path: '/account/api/session',
  gates: ['slot'],
  operation: () =>
    accountOperation({
      operationId: 'session',
      tag: 'Session',
      summary: 'Who is signed in, and how one can sign in',
      gates: ['slot'],
      answer: sessionAnswer,
      examples: sessionExamples,
      errors: [new ServiceUnavailable(null)],
    }),
  handler(deps) {
    const config = consoleConfig(deps);
    return async (ctx) => {
      parseParameters(z.strictObject({}), ctx.querystring);
      const found = await findSession(deps, config, ctx);
      if (found === null) answer(ctx, deps.clock, visitorView(ctx, config), 'Nobody is signed in.');
      else answer(ctx, deps.clock, signedInView(ctx, config, found, deps.clock), `Signed in to ${found.account.name}.`);
    };
  },
};

/** The body of a request that needs none. */
export const noBody = z.strictObject({});
const signOutAnswer = envelopeOf(z.strictObject({})).register(accountComponents, { id: 'SignOutAnswer' });
const everywhereAnswer = envelopeOf(z.strictObject({ sessions: count })).register(accountComponents, {
  id: 'SignOutEverywhereAnswer',
});

const signOutGates = ['slot', 'same origin'] as const;

/** POST /account/api/sign-out. For everybody: whoever is not signed in is none the worse. */
export const signOut: Endpoint = {
  method: 'post',
  path: '/account/api/sign-out',
  gates: signOutGates,
  operation: () =>
    accountOperation({
      operationId: 'signOut',
      tag: 'Session',
      summary: 'End this session',
      gates: signOutGates,
      body: noBody,
      answer: signOutAnswer,
      examples: { 'signed out': exampleOf({}, 'Signed out.') },
      errors: [new ServiceUnavailable(null)],
    }),
  handler(deps) {
    const config = consoleConfig(deps);
    return async (ctx) => {
      const { sessionList } = accountPorts(deps);
      await readJson(ctx, noBody, config.bodyMaxBytes);
      const found = await findSession(deps, config, ctx);
      if (found !== null) fromStore(await sessionList.signOut(found.account.id, found.sessionId, actorIn(ctx, found)));
      forget(ctx, config);
      answer(ctx, deps.clock, {}, 'Signed out.');
    };
  },
};

const everywhereGates = ['slot', 'same origin', 'session'] as const;

/** POST /account/api/sign-out-everywhere */
export const signOutEverywhere: Endpoint = {
  method: 'post',
  path: '/account/api/sign-out-everywhere',
  gates: everywhereGates,
  operation: () =>
    accountOperation({
      operationId: 'signOutEverywhere',
      tag: 'Session',
      summary: 'End all sessions of the account, this one included',
      gates: everywhereGates,
      body: noBody,
      answer: everywhereAnswer,
      examples: { 'signed out': exampleOf({ sessions: 3 }, 'Signed out everywhere: 3 sessions have ended.') },
    }),
  handler(deps) {
    const config = consoleConfig(deps);
    return async (ctx) => {
      const { sessionList } = accountPorts(deps);
      await readJson(ctx, noBody, config.bodyMaxBytes);
      const current = sessionOf(ctx);
      const ended = fromStore(await sessionList.signOutEverywhere(current.account.id, actorOf(ctx)));
      forget(ctx, config);
      const message = `Signed out everywhere: ${counted(ended, 'session has', 'sessions have')} ended.`;
      answer(ctx, deps.clock, { sessions: ended }, message);
    };
  },
};

function forget(ctx: Context, config: ConsoleConfig): void {
  clearCookie(ctx, config, 'session');
  clearCookie(ctx, config, 'browser');
}
