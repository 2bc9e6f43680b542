import { z } from 'zod';
import type { WalletProof } from '../../../account/credentials.ts';
import type { NewSession, Session, SignInOutcome } from '../../../account/ports.ts';
import { limitAddresses } from '../../../lib/client-address.ts';
import { hourMs } from '../../../lib/durations.ts';
import { AccountSuspended, SignInFailed, SignUpClosed, TooManyRequests } from '../../errors/account-errors.ts';
import { type AccountContext, accountEndpoint } from '../account-endpoint.ts';
import { beginSession } from '../cookies.ts';
import { passkeyUse, readPasskeyProof, readWalletProof, signedMessage } from '../credentials/credentials.ts';
import { signedInAnswer, signedInReply } from '../session-view.ts';

const gates = ['slot', 'same origin', 'attempt'] as const;

/** A wallet without an account gets one if sign-up is open. */
export const signInWithWallet = accountEndpoint({
  method: 'post',
  path: 'sign-in/wallet',
  gates,
  body: signedMessage,
  answer: signedInAnswer,
  operationId: 'signInWithWallet',
  tag: 'Session',
  summary: 'Sign in with the signature of a message',
  description:
    'Signatures of contract wallets are checked on the chain (ERC-1271, ERC-6492). If the chain does not answer, the error is `service_unavailable`; send the same signature again.',
  errors: ['sign_in_failed', 'sign_up_closed', 'account_suspended', 'rate_limited', 'service_unavailable'],
  own: ({ clock }, { attempts }) => limitAddresses({ max: attempts.newAccountsPerHour, perMs: hourMs }, clock.elapsed),
  handler: async ({ body, own: takeAccount, ...context }) => {
    const proof = await readWalletProof(context, body, { purpose: 'sign-in', accountId: null });
    const { ctx, config } = context;
    const session = await beginSession(ctx, config, (draft) => enter(context, proof, draft, takeAccount));
    return signedInReply(context, session);
  },
});

async function enter(
  { ctx, config, account: { signIn } }: AccountContext,
  proof: WalletProof,
  draft: NewSession,
  takeAccount: ReturnType<typeof limitAddresses>,
): Promise<Session> {
  const { signUp, signUpPlan } = config;
  if (signUp !== 'open' || (await signIn.knowsWallet(proof.address))) {
    return sessionFrom(await signIn.withWallet(proof, draft));
  }
  const taken = takeAccount(ctx.ip);
  if (!taken.ok) throw new TooManyRequests('Too many accounts were opened from this address.', taken.waitMs);
  const opened = await signIn.openAccount(proof, signUpPlan, draft);
  if (opened !== 'no plan') return sessionFrom(opened);
  ctx.state.log.error({ plan: signUpPlan }, 'sign-up failed: SIGN_UP_PLAN is not the name of an active plan');
  throw new SignUpClosed();
}

/** The passkey identifies its account. */
export const signInWithPasskey = accountEndpoint({
  method: 'post',
  path: 'sign-in/passkey',
  gates,
  body: z.strictObject({ response: passkeyUse }),
  answer: signedInAnswer,
  operationId: 'signInWithPasskey',
  tag: 'Session',
  summary: 'Sign in with the answer of a passkey',
  errors: ['sign_in_failed', 'account_suspended', 'service_unavailable'],
  handler: async ({ body, ...context }) => {
    const proof = await readPasskeyProof(context, body.response, { purpose: 'sign-in', accountId: null });
    const { ctx, config, account } = context;
    const session = await beginSession(ctx, config, async (draft) =>
      sessionFrom(await account.signIn.withPasskey(proof, draft)),
    );
    return signedInReply(context, session);
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
