import { z } from 'zod';
import type { Endpoint } from '../../endpoint.ts';
import { AccountSuspended, SignInFailed } from '../../errors/account-errors.ts';
import { ServiceUnavailable } from '../../errors/errors.ts';
import { accountOperation } from '../../openapi/account-operation.ts';
import { readJson } from '../../request/read-json.ts';
import { answer, fromStore } from '../answer.ts';
import { accountPorts, consoleConfig } from '../console.ts';
import { passkeyUse, readPasskeyProof } from '../credentials/passkey-response.ts';
import { draftSession, giveSession } from '../session/browser.ts';
import { sessionFrom } from '../session/outcome.ts';
import { signedInAnswer, signedInExamples, signedInView } from '../session/view.ts';

const gates = ['slot', 'same origin', 'attempt'] as const;
const body = z.strictObject({ response: passkeyUse });

/** POST /account/api/sign-in/passkey. The passkey says which account it opens. */
export const signInWithPasskey: Endpoint = {
  method: 'post',
  path: '/account/api/sign-in/passkey',
  gates,
  operation: () =>
    accountOperation({
      operationId: 'signInWithPasskey',
      tag: 'Session',
      summary: 'Sign in with the answer of a passkey',
      gates,
      body,
      answer: signedInAnswer,
      examples: signedInExamples,
      errors: [new SignInFailed(), new AccountSuspended(), new ServiceUnavailable(null)],
    }),
  handler(deps) {
    const config = consoleConfig(deps);
    return async (ctx) => {
      const { response } = await readJson(ctx, body, config.bodyMaxBytes);
      const proof = await readPasskeyProof(deps, ctx, response, { purpose: 'sign-in', accountId: null });
      const { token, session: draft } = draftSession(ctx, config);
      const session = sessionFrom(fromStore(await accountPorts(deps).signIn.withPasskey(proof, draft)));
      giveSession(ctx, config, token);
      answer(ctx, deps.clock, signedInView(ctx, config, session, deps.clock), `Signed in to ${session.account.name}.`);
    };
  },
};
