import type { WalletProof } from '../../../account/credentials.ts';
import type { NewSession, Session } from '../../../account/ports.ts';
import { hourMs } from '../../../lib/durations.ts';
import { createRateLimiter, type RateLimiter } from '../../../lib/rate-limiter.ts';
import type { Deps } from '../../../ports.ts';
import type { Context } from '../../context.ts';
import type { Endpoint } from '../../endpoint.ts';
import { AccountSuspended, SignInFailed, SignUpClosed, TooManyRequests } from '../../errors/account-errors.ts';
import { ServiceUnavailable } from '../../errors/errors.ts';
import { accountOperation } from '../../openapi/account-operation.ts';
import { readJson } from '../../request/read-json.ts';
import { clientNetwork } from '../../request/throttle-refusals.ts';
import { answer, fromStore } from '../answer.ts';
import { accountPorts, consoleConfig } from '../console.ts';
import { readWalletProof, signedMessage } from '../credentials/signed-message.ts';
import { draftSession, giveSession } from '../session/browser.ts';
import { sessionFrom } from '../session/outcome.ts';
import { signedInAnswer, signedInExamples, signedInView } from '../session/view.ts';

const gates = ['slot', 'same origin', 'attempt'] as const;
const body = signedMessage;

/** Addresses of clients that are remembered. */
const remembered = 10_000;

/** POST /account/api/sign-in/wallet. A wallet without an account gets one where everybody may sign up. */
export const signInWithWallet: Endpoint = {
  method: 'post',
  path: '/account/api/sign-in/wallet',
  gates,
  operation: () =>
    accountOperation({
      operationId: 'signInWithWallet',
      tag: 'Session',
      summary: 'Sign in with the signature of a message',
      description:
        'For wallets that are contracts, the chain is asked (ERC-1271, ERC-6492). Where it cannot be, the answer is `service_unavailable`, and the same signature may be sent again.',
      gates,
      body,
      answer: signedInAnswer,
      examples: signedInExamples,
      errors: [
        new SignInFailed(),
        new SignUpClosed(),
        new AccountSuspended(),
        tooManyAccounts(12_000),
        new ServiceUnavailable(null),
      ],
    }),
  handler(deps) {
    const config = consoleConfig(deps);
    const limits = { max: config.attempts.newAccountsPerHour, perMs: hourMs, keysMax: remembered };
    const newAccounts = createRateLimiter(limits, deps.clock.elapsed);
    return async (ctx) => {
      const signed = await readJson(ctx, body, config.bodyMaxBytes);
      const proof = await readWalletProof(deps, ctx, signed, { purpose: 'sign-in', accountId: null });
      const { token, session: draft } = draftSession(ctx, config);
      const session = await enter(deps, ctx, proof, draft, newAccounts);
      giveSession(ctx, config, token);
      answer(ctx, deps.clock, signedInView(ctx, config, session, deps.clock), `Signed in to ${session.account.name}.`);
    };
  },
};

async function enter(
  deps: Deps,
  ctx: Context,
  proof: WalletProof,
  draft: NewSession,
  newAccounts: RateLimiter,
): Promise<Session> {
  const { signIn } = accountPorts(deps);
  const { signUp, signUpPlan } = consoleConfig(deps);
  if (signUp !== 'open' || fromStore(await signIn.knowsWallet(proof.address))) {
    return sessionFrom(fromStore(await signIn.withWallet(proof, draft)));
  }
  const taken = newAccounts.take(clientNetwork(ctx.ip));
  if (!taken.ok) throw tooManyAccounts(taken.waitMs);
  const opened = fromStore(await signIn.openAccount(proof, signUpPlan, draft));
  if (opened !== 'no plan') return sessionFrom(opened);
  ctx.state.log.error({ plan: signUpPlan }, 'nobody can sign up: SIGN_UP_PLAN names no active plan');
  throw new SignUpClosed();
}

function tooManyAccounts(waitMs: number): TooManyRequests {
  return new TooManyRequests('Too many accounts were opened from this address.', waitMs);
}
