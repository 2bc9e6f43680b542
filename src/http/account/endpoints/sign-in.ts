import { z } from 'zod';
import type { WalletProof } from '../../../account/credentials.ts';
import type { NewSession, Session, SignInOutcome } from '../../../account/ports.ts';
import { hourMs } from '../../../lib/durations.ts';
import { createRateLimiter, type RateLimiter } from '../../../lib/rate-limiter.ts';
import type { Deps } from '../../../ports.ts';
import type { Context } from '../../context.ts';
import { AccountSuspended, SignInFailed, SignUpClosed, TooManyRequests } from '../../errors/account-errors.ts';
import { ServiceUnavailable } from '../../errors/errors.ts';
import { clientNetwork } from '../../request/throttle-refusals.ts';
import { accountEndpoint } from '../account-endpoint.ts';
import { accountPorts, consoleConfig, fromStore } from '../console.ts';
import { beginSession } from '../cookies.ts';
import { passkeyUse, readPasskeyProof } from '../credentials/passkey-response.ts';
import { readWalletProof, signedMessage } from '../credentials/signed-message.ts';
import { signedInAnswer, signedInExamples, signedInReply } from '../session-view.ts';

const gates = ['slot', 'same origin', 'attempt'] as const;

/** The number of client addresses to remember. */
const remembered = 10_000;

/** A wallet without an account gets one if sign-up is open. */
export const signInWithWallet = accountEndpoint({
  method: 'post',
  path: 'sign-in/wallet',
  gates,
  body: signedMessage,
  answer: signedInAnswer,
  operation: () => ({
    operationId: 'signInWithWallet',
    tag: 'Session',
    summary: 'Sign in with the signature of a message',
    description:
      'Signatures of contract wallets are checked on the chain (ERC-1271, ERC-6492). If the chain does not answer, the error is `service_unavailable`; send the same signature again.',
    examples: signedInExamples,
    errors: [
      new SignInFailed(),
      new SignUpClosed(),
      new AccountSuspended(),
      tooManyAccounts(12_000),
      new ServiceUnavailable(null),
    ],
  }),
  handler(deps, config) {
    const limits = { max: config.attempts.newAccountsPerHour, perMs: hourMs, keysMax: remembered };
    const newAccounts = createRateLimiter(limits, deps.clock.elapsed);
    return async ({ ctx, body }) => {
      const proof = await readWalletProof(deps, ctx, body, { purpose: 'sign-in', accountId: null });
      const session = await beginSession(ctx, config, (draft) => enter(deps, ctx, proof, draft, newAccounts));
      return signedInReply(ctx, config, session, deps.clock);
    };
  },
});

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
  ctx.state.log.error({ plan: signUpPlan }, 'sign-up failed: SIGN_UP_PLAN is not the name of an active plan');
  throw new SignUpClosed();
}

function tooManyAccounts(waitMs: number): TooManyRequests {
  return new TooManyRequests('Too many accounts were opened from this address.', waitMs);
}

/** The passkey identifies its account. */
export const signInWithPasskey = accountEndpoint({
  method: 'post',
  path: 'sign-in/passkey',
  gates,
  body: z.strictObject({ response: passkeyUse }),
  answer: signedInAnswer,
  operation: () => ({
    operationId: 'signInWithPasskey',
    tag: 'Session',
    summary: 'Sign in with the answer of a passkey',
    examples: signedInExamples,
    errors: [new SignInFailed(), new AccountSuspended(), new ServiceUnavailable(null)],
  }),
  handler:
    (deps, config) =>
    async ({ ctx, body }) => {
      const proof = await readPasskeyProof(deps, ctx, body.response, { purpose: 'sign-in', accountId: null });
      const { signIn } = accountPorts(deps);
      const session = await beginSession(ctx, config, async (draft) =>
        sessionFrom(fromStore(await signIn.withPasskey(proof, draft))),
      );
      return signedInReply(ctx, config, session, deps.clock);
    },
});

/** Returns the new session. Throws the error for a refusal. */
function sessionFrom(outcome: SignInOutcome): Session {
  if (outcome.ok) return outcome.session;
  switch (outcome.reason) {
    case 'used':
      throw new SignInFailed();
    case 'unknown':
      throw new SignUpClosed();
    case 'suspended':
      throw new AccountSuspended();
  }
}
