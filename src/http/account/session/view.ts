import { z } from 'zod';
import type { Session } from '../../../account/ports.ts';
import { type ConsoleConfig, signUpModes } from '../../../config/console.ts';
import type { Clock } from '../../../ports.ts';
import type { Context } from '../../context.ts';
import { accountComponents } from '../../openapi/account-operation.ts';
import { count, envelopeOf, exampleOf, instant } from '../../openapi/components.ts';
import { signInWays } from '../credentials/sign-in-place.ts';

const surroundings = {
  sign_up: z.enum(signUpModes).describe('Who may get an account here: nobody, whoever was invited, or every wallet'),
  sign_in: z
    .strictObject({
      available: z.boolean().describe('Whether anybody can sign in at this address'),
      wallets: z.boolean(),
      passkeys: z.boolean(),
      reason: z.string().nullable().describe('What to do about what is not available'),
    })
    .describe('What can be signed in with at the address that the browser has opened'),
  chain_id: z.int().positive().describe('The chain that wallets sign for'),
  visitor_searches_per_minute: count.describe('Searches that an address has without signing in'),
  demo_wallet: z
    .strictObject({ private_key: z.string().regex(/^0x[0-9a-f]{64}$/i) })
    .nullable()
    .describe('A wallet for everybody, of installations that are for trying out'),
};
const limit = count.nullable().describe('Null: no limit');

const visitorData = z.strictObject({ signed_in: z.literal(false), ...surroundings });
const signedInData = z.strictObject({
  signed_in: z.literal(true),
  ...surroundings,
  account: z.strictObject({
    id: count,
    name: z.string(),
    plan: z.string(),
    role: z.enum(['member', 'operator']),
    active: z.boolean().describe('False: suspended'),
    limits: z.strictObject({ calls_per_minute: limit, calls_per_month: limit }),
  }),
  session: z.strictObject({
    id: count,
    method: z.enum(['wallet', 'passkey', 'invitation']),
    created_at: instant,
    expires_at: instant,
    confirmed: z.boolean().describe('Whether one wallet or passkey may be added or removed now'),
  }),
});

/** GET session: whoever asks. */
export const sessionAnswer = envelopeOf(z.discriminatedUnion('signed_in', [visitorData, signedInData])).register(
  accountComponents,
  { id: 'SessionAnswer' },
);
/** Who has just signed in. */
export const signedInAnswer = envelopeOf(signedInData).register(accountComponents, { id: 'SignedInAnswer' });

type VisitorView = z.infer<typeof visitorData>;
type SignedInView = z.infer<typeof signedInData>;

function surroundingsView(ctx: Context, config: ConsoleConfig): Omit<VisitorView, 'signed_in'> {
  const { wallets, passkeys, reason } = signInWays(ctx, config);
  return {
    sign_up: config.signUp,
    sign_in: { available: wallets || passkeys, wallets, passkeys, reason },
    chain_id: config.chainId,
    visitor_searches_per_minute: config.visitorSearchesPerMinute,
    demo_wallet: config.demoWallet && { private_key: config.demoWallet.privateKey },
  };
}

/** What a browser is told where nobody is signed in. */
export function visitorView(ctx: Context, config: ConsoleConfig): VisitorView {
  return { signed_in: false, ...surroundingsView(ctx, config) };
}

/** What a browser is told of its session and account. */
export function signedInView(ctx: Context, config: ConsoleConfig, session: Session, clock: Clock): SignedInView {
  const { account, confirmedUntilMs } = session;
  const { plan } = account;
  return {
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
}

const exampleSurroundings = {
  sign_up: 'invited',
  sign_in: { available: true, wallets: true, passkeys: true, reason: null },
  chain_id: 8453,
  visitor_searches_per_minute: 20,
  demo_wallet: null,
} as const;

const signedInExample = exampleOf(
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
);

export const signedInExamples = { 'signed in': signedInExample };
export const sessionExamples = {
  ...signedInExamples,
  visitor: exampleOf({ signed_in: false, ...exampleSurroundings }, 'Nobody is signed in.'),
};
