import type { SignedIn, Visitor } from '../../account/answers.ts';
import type { NewCredential } from '../../account/credentials.ts';
import type { NewSession, Refusal, Session } from '../../account/ports.ts';
import type { AccountContext, Reply } from './account-endpoint.ts';
import { beginSession } from './cookies.ts';
import { refusalError } from './credentials/credentials.ts';
import { signInWays } from './credentials/sign-in-place.ts';

function surroundingsView({ ctx, config }: AccountContext): Omit<Visitor, 'signed_in'> {
  const { wallets, passkeys, reason } = signInWays(ctx, config);
  return {
    sign_up: config.signUp,
    sign_in: { available: wallets || passkeys, wallets, passkeys, reason },
    visitor_searches_per_minute: config.visitorSearchesPerMinute,
    demo_wallet: config.demoWallet && { private_key: config.demoWallet.privateKey },
  };
}

/** The reply to a browser without a session. */
export function visitorReply(context: AccountContext): Reply {
  const data: Visitor = { signed_in: false, ...surroundingsView(context) };
  return [data, 'Not signed in.'];
}

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

/** Begins a session with a credential. Throws the error for a refusal. */
export async function beginSessionReply(
  context: AccountContext,
  kind: NewCredential['kind'],
  begin: (draft: NewSession) => Promise<Session | Refusal>,
): Promise<Reply> {
  const { ctx, config } = context;
  const session = await beginSession(ctx, config, begin);
  if (typeof session === 'string') throw refusalError(session, kind, config);
  return signedInReply(context, session);
}
