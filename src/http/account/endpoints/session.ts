import { z } from 'zod';
import { sessionState } from '../../../account/answers.ts';
import { counted } from '../../../lib/text/counted.ts';
import { count } from '../../../lib/wire-schema.ts';
import { accountEndpoint } from '../account-endpoint.ts';
import { forgetSession } from '../cookies.ts';
import { actorOf, sessionOf } from '../middleware/session.ts';
import { signedInReply, visitorReply } from '../session-view.ts';

const nothing = z.strictObject({});

export const session = accountEndpoint({
  method: 'get',
  path: 'session',
  gates: ['slot', 'session if given'],
  answer: sessionState,
  handler: async (context) => {
    const { session: found } = context.ctx.state;
    return found === undefined ? visitorReply(context) : signedInReply(context, found);
  },
});

/** Sign-out also succeeds without a session. */
export const signOut = accountEndpoint({
  method: 'post',
  path: 'sign-out',
  gates: ['slot', 'same origin', 'session if given'],
  body: nothing,
  answer: nothing,
  handler: async ({ account, config, ctx }) => {
    const { session: found } = ctx.state;
    if (found !== undefined)
      await account.sessions.end(found.account.id, found.sessionId, 'signed_out', actorOf(ctx, found));
    forgetSession(ctx, config);
    return [{}, 'Signed out.'];
  },
});

export const signOutEverywhere = accountEndpoint({
  method: 'post',
  path: 'sign-out-everywhere',
  gates: ['slot', 'same origin', 'session'],
  body: nothing,
  answer: z.strictObject({ sessions: count }),
  handler: async ({ account, config, ctx }) => {
    const { id } = sessionOf(ctx).account;
    const ended = await account.sessions.endAll(id, actorOf(ctx));
    forgetSession(ctx, config);
    return [{ sessions: ended }, `Signed out everywhere: ${counted(ended, 'session has', 'sessions have')} ended.`];
  },
});
