import { z } from 'zod';
import { callEndpoints } from '../access/calls.ts';
import { usageShape } from '../access/quota.ts';
import { kindNames } from '../kinds/kind.ts';
import { count, instant } from '../lib/wire-schema.ts';

// `data` in the answers of /account/api: schemas for the service, and their types for the service and the pages.

/** The purposes of a signature. A signature for one purpose is refused for any other. */
export const purposes = ['sign-in', 'confirm', 'add', 'invitation'] as const;
export type Purpose = (typeof purposes)[number];

const id = z.int().positive();
const role = z.enum(['member', 'operator']);
const signInMethod = z.enum(['wallet', 'passkey', 'invitation']);
export type SignInMethod = z.output<typeof signInMethod>;
const limit = count.nullable().describe('Null: no limit');

const surroundings = {
  sign_up: z
    .enum(['closed', 'invited', 'open'])
    .describe('The callers that may open an account: none, those with an invitation, or every wallet'),
  sign_in: z
    .strictObject({
      available: z.boolean().describe('True if a way to sign in works at this address'),
      wallets: z.boolean(),
      passkeys: z.boolean(),
      reason: z.string().nullable().describe('The reason why a way to sign in does not work, with its solution'),
    })
    .describe('Ways to sign in at the address that the browser has opened'),
  visitor_searches_per_minute: count.describe('Searches that an address has without signing in'),
  demo_wallet: z
    .strictObject({ private_key: z.string().regex(/^0x[0-9a-f]{64}$/i) })
    .nullable()
    .describe('A wallet for everybody, of installations that are for trying out'),
};

export const visitor = z.strictObject({ signed_in: z.literal(false), ...surroundings });
export type Visitor = z.output<typeof visitor>;

export const signedIn = z.strictObject({
  signed_in: z.literal(true),
  ...surroundings,
  account: z.strictObject({
    id: count,
    name: z.string(),
    plan: z.string(),
    role,
    active: z.boolean().describe('False: suspended'),
    limits: z.strictObject({ calls_per_minute: limit, calls_per_month: limit }),
  }),
  session: z.strictObject({
    id: count,
    method: signInMethod,
    created_at: instant,
    expires_at: instant,
    confirmed: z.boolean().describe('True if the session may add or remove one wallet or passkey now'),
  }),
});
export type SignedIn = z.output<typeof signedIn>;

export const sessionState = z.discriminatedUnion('signed_in', [visitor, signedIn]);
export type SessionState = z.output<typeof sessionState>;

export const walletChallenge = z.strictObject({
  message: z.string().describe('To be signed as it is (EIP-4361)'),
  expires_at: instant,
});
export type WalletChallenge = z.output<typeof walletChallenge>;

export const invitation = z.strictObject({ account: z.string(), plan: z.string(), expires_at: instant });
export type Invitation = z.output<typeof invitation>;

export const wallet = z.strictObject({
  id,
  address: z.string(),
  created_at: instant,
  last_used_at: instant.nullable(),
});
export type Wallet = z.output<typeof wallet>;
export const passkey = z.strictObject({
  id,
  name: z.string(),
  backed_up: z.boolean().describe('True if its provider keeps a copy'),
  created_at: instant,
  last_used_at: instant.nullable(),
});
export type Passkey = z.output<typeof passkey>;
export const openSession = z.strictObject({
  id,
  method: signInMethod,
  ip: z.string(),
  user_agent: z.string(),
  created_at: instant,
  last_seen_at: instant.describe('To the minute'),
  expires_at: instant.describe('Fixed; use of the session does not extend it'),
});
export type OpenSession = z.output<typeof openSession>;
const sessionEntry = openSession.extend({ current: z.boolean().describe('True for the session of this request') });
export type SessionEntry = z.output<typeof sessionEntry>;
export const security = z.strictObject({
  wallets: z.array(wallet),
  passkeys: z.array(passkey),
  sessions: z.array(sessionEntry),
});
export type Security = z.output<typeof security>;

const event = z.strictObject({
  id: z.string().describe('Unique among all events of all accounts'),
  at: instant,
  action: z.string().describe('Such as signed_in or key_created'),
  actor: z.string().describe('The author of the action'),
  detail: z.record(z.string(), z.unknown()),
  ip: z.string().nullable().describe('The client address; null for the command line'),
});
export type AccountEvent = z.output<typeof event>;
export const events = z.strictObject({
  events: z.array(event),
  next: z.string().nullable().describe('For the parameter "before"; null after the last'),
});
export type Events = z.output<typeof events>;

const keyShape = {
  id,
  name: z.string(),
  environment: z.enum(['live', 'test']),
  prefix: z.string().describe('The first characters of the key'),
  state: z.enum(['live', 'expired', 'revoked']),
  created_at: instant,
  last_used_at: instant.nullable().describe('To the minute'),
  expires_at: instant.nullable(),
};
const shownOnce = { key: z.string().describe('The key itself; it is not shown again') };
export const accountKey = z.strictObject(keyShape);
export type AccountKey = z.output<typeof accountKey>;
export const keys = z.strictObject({ plan: z.string(), keys: z.array(accountKey) });
export type Keys = z.output<typeof keys>;
export const createdKey = z.strictObject({ ...shownOnce, ...keyShape });
export type CreatedKey = z.output<typeof createdKey>;
export const rotatedKey = z.strictObject({ ...shownOnce, ...keyShape, replaces: accountKey });
export type RotatedKey = z.output<typeof rotatedKey>;

export const callCount = z.strictObject({
  day: z.iso.date(),
  endpoint: z.enum(callEndpoints),
  outcome: z.string().describe('`answered`, or the code of the error'),
  calls: z.int().positive().describe('The cost of the calls; free calls count 1 each'),
});
export const accountUsage = z.strictObject({
  ...usageShape,
  calls: z.array(callCount).describe('The oldest day first'),
});
export type Usage = z.output<typeof accountUsage>;

export const boughtSearch = z
  .strictObject({ q: z.string(), type: z.string(), limit: z.int(), page: z.int() })
  .describe('The paid search');
export const payment = z.strictObject({
  id,
  status: z.string(),
  network: z.string().describe('By its CAIP-2 name'),
  network_title: z.string(),
  payer: z.string(),
  amount: z.string().describe('In base units of the token'),
  amount_usd: z.string(),
  asset_symbol: z.string(),
  transaction: z.string().nullable(),
  transaction_url: z.url().nullable().describe("On the network's explorer"),
  final: z.boolean().describe('In a block that is not taken back any more'),
  created_at: instant,
  settled_at: instant.nullable(),
  delivered_at: instant.nullable(),
  request: boughtSearch,
});
export type Payment = z.output<typeof payment>;
/** A payment as it is stored. Times are ISO 8601 in UTC. */
export const storedPayment = payment
  .omit({ amount_usd: true, asset_symbol: true, network_title: true, transaction_url: true })
  .extend({ asset: z.string(), pay_to: z.string() })
  .strip();
export const payments = z.strictObject({
  payments: z.array(payment),
  next: id.nullable().describe('For the parameter "before"; null on the last page'),
});
export type Payments = z.output<typeof payments>;

export const operatorAccount = z.strictObject({
  id,
  name: z.string(),
  plan: z.string(),
  role,
  active: z.boolean(),
  live_keys: count,
  used_this_month: count,
  created_at: instant,
});
export type OperatorAccount = z.output<typeof operatorAccount>;
export const operatorAccounts = z.strictObject({
  accounts: z.array(operatorAccount),
  next: id.nullable().describe('For the parameter "after"; null on the last page'),
});
export type OperatorAccounts = z.output<typeof operatorAccounts>;
const plan = z.strictObject({
  name: z.string(),
  calls_per_minute: count.nullable(),
  calls_per_month: count.nullable(),
  active: z.boolean(),
});
export type Plan = z.output<typeof plan>;
export const operatorAccountDetail = z.strictObject({
  account: operatorAccount,
  keys: z.array(accountKey),
  calls: z.array(callCount).describe('The oldest day first'),
  plans: z.array(plan).describe('All plans of this installation'),
});
export type OperatorAccountDetail = z.output<typeof operatorAccountDetail>;

export const generation = z.strictObject({
  kind: z.enum(kindNames),
  index: z.string(),
  state: z.string(),
  searched: z.boolean(),
  documents: count.nullable().describe('Null if Elasticsearch did not answer'),
  pending: count.nullable().describe('Changes that it does not have; counting stops at 100,000'),
  lag_seconds: z.number().nonnegative().nullable().describe('The age of the oldest of them'),
  halted: z.string().nullable().describe('The reason why sync stopped following it'),
  dead_letters: count.describe('Documents that Elasticsearch rejected'),
  verification: z
    .strictObject({
      at: instant,
      outcome: z
        .string()
        .describe('`equal`, `different`, `unjudged` (changes wait) or `incomplete` (stopped at too many differences)'),
      differences: count,
    })
    .nullable()
    .describe('The last comparison with the table'),
  created_at: instant,
});
export type Generation = z.output<typeof generation>;
export const indexState = z.strictObject({ generations: z.array(generation) });
export type IndexState = z.output<typeof indexState>;

export const ledger = z.strictObject({
  by_status: z.array(z.strictObject({ status: z.string(), count, amount_usd: z.string() })),
  audit: z
    .strictObject({
      finished_at: instant.nullable().describe('When every recipient had been compared; null where one was not yet'),
      recipients: count,
      open_findings: count.describe('Unacknowledged differences between ledger and chain'),
    })
    .nullable()
    .describe('The comparison with the chain; null where none has begun'),
});
export type Ledger = z.output<typeof ledger>;
