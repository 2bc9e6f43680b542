import { type SignedIn, signedIn, type Visitor } from '../../account/answers.ts';
import type { Session } from '../../account/ports.ts';
import type { ConsoleConfig } from '../../config/console.ts';
import type { Clock } from '../../ports.ts';
import type { Context } from '../context.ts';
import { answerOf } from '../openapi/account-operation.ts';
import type { Reply } from './account-endpoint.ts';
import { signInWays } from './credentials/sign-in-place.ts';

/** The answer to a caller that has just signed in. */
export const signedInAnswer = answerOf('SignedInAnswer', signedIn);

function surroundingsView(ctx: Context, config: ConsoleConfig): Omit<Visitor, 'signed_in'> {
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
export function visitorReply(ctx: Context, config: ConsoleConfig): Reply {
  const data: Visitor = { signed_in: false, ...surroundingsView(ctx, config) };
  return [data, 'Not signed in.'];
}

/** The reply to a browser of its session and account. */
export function signedInReply(ctx: Context, config: ConsoleConfig, session: Session, clock: Clock): Reply {
  const { account, confirmedUntilMs } = session;
  const { plan } = account;
  const data: SignedIn = {
    signed_in: true,
    ...surroundingsView(ctx, config),
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
      confirmed: confirmedUntilMs !== null && confirmedUntilMs > clock.now(),
    },
  };
  return [data, `Signed in to ${account.name}.`];
}

const exampleSurroundings = {
  sign_up: 'invited',
  sign_in: { available: true, wallets: true, passkeys: true, reason: null },
  chain_id: 8453,
  visitor_searches_per_minute: 20,
  demo_wallet: null,
} as const;

const signedInExample: Reply = [
  {
    signed_in: true,
    ...exampleSurroundings,
    account: {
      id: 7,
      name: 'Example Ltd',
      plan: 'starter',
      role: 'member',
      active: true,
      limits: { calls_per_minute: 60, calls_per_month: 50_000 },
    },
    session: {
      id: 12,
      method: 'passkey',
      created_at: '2026-01-31T11:00:00.000Z',
      expires_at: '2026-02-14T11:00:00.000Z',
      confirmed: false,
    },
  },
  'Signed in to Example Ltd.',
];

export const signedInExamples = { 'signed in': signedInExample };
export const visitorExample: Reply = [{ signed_in: false, ...exampleSurroundings }, 'Not signed in.'];
