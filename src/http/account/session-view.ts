import { type SignedIn, signedIn, type Visitor } from '../../account/answers.ts';
import type { Session } from '../../account/ports.ts';
import { answerOf } from '../openapi/components.ts';
import type { AccountContext, Reply } from './account-endpoint.ts';
import { signInWays } from './credentials/sign-in-place.ts';

/** The answer to a caller that has just signed in. */
export const signedInAnswer = answerOf('SignedInAnswer', signedIn);

function surroundingsView({ ctx, config }: AccountContext): Omit<Visitor, 'signed_in'> {
  const { wallets, passkeys, reason } = signInWays(ctx, config);
  return {
    sign_up: config.signUp,
    sign_in: { available: wallets || passkeys, wallets, passkeys, reason },
    chain_id: config.chainId,
    visitor_searches_per_minute: config.visitorSearchesPerMinute,
    demo_wallet: config.demoWallet && { private_key: config.demoWallet.privateKey },
  };
}

/** The reply to a browser without a session. */
export function visitorReply(context: AccountContext): Reply {
  const data: Visitor = { signed_in: false, ...surroundingsView(context) };
  return [data, 'Not signed in.'];
}

/** The reply to a browser of its session and account. */
export function signedInReply(context: AccountContext, session: Session): Reply {
  const { account, confirmedUntilMs } = session;
  const { plan } = account;
  const data: SignedIn = {
    signed_in: true,
    ...surroundingsView(context),
    account: {
      id: account.id,
      name: account.name,
      plan: plan.name,
      role: account.role,
      active: account.active,
      limits: { calls_per_minute: plan.callsPerMinute, calls_per_month: plan.callsPerMonth },
    },
    session: {
      id: session.sessionId,
      method: session.method,
      created_at: new Date(session.createdAtMs).toISOString(),
      expires_at: new Date(session.expiresAtMs).toISOString(),
      confirmed: confirmedUntilMs !== null && confirmedUntilMs > context.deps.clock.now(),
    },
  };
  return [data, `Signed in to ${account.name}.`];
}
