import { signedIn } from '../../../account/answers.ts';
import type { WalletProof } from '../../../account/credentials.ts';
import type { NewSession, Refusal, Session } from '../../../account/ports.ts';
import { limitAddresses } from '../../../lib/client-address.ts';
import { hourMs } from '../../../lib/durations.ts';
import { TooManyRequests } from '../../errors/account-errors.ts';
import { type AccountContext, accountEndpoint } from '../account-endpoint.ts';
import { knownPasskey, readKnownCredential, readWalletProof, signedMessage } from '../credentials/credentials.ts';
import { beginSessionReply } from '../session-view.ts';

const gates = ['slot', 'same origin', 'attempt'] as const;
const signIn = { purpose: 'sign-in', accountId: null } as const;

/**
 * A wallet without an account gets one if sign-up is open. Signatures of contract wallets are checked on the chain
 * (ERC-1271, ERC-6492); if it does not answer, the client sends the same signature again.
 */
export const signInWithWallet = accountEndpoint({
  method: 'post',
  path: 'sign-in/wallet',
  gates,
  body: signedMessage,
  answer: signedIn,
  own: ({ clock }, { attempts }) => limitAddresses({ max: attempts.newAccountsPerHour, perMs: hourMs }, clock.elapsed),
  handler: async ({ body, own: takeAccount, ...context }) => {
    const proof = await readWalletProof(context, body, signIn);
    return beginSessionReply(context, 'wallet', (draft) => enterOrOpen(context, proof, draft, takeAccount));
  },
});

async function enterOrOpen(
  { ctx, config, account }: AccountContext,
  proof: WalletProof,
  draft: NewSession,
  takeAccount: ReturnType<typeof limitAddresses>,
): Promise<Session | Refusal> {
  const { signUp, signUpPlan } = config;
  if (signUp !== 'open' || (await account.signIn.knowsWallet(proof.address))) return account.signIn.enter(proof, draft);
  const taken = takeAccount(ctx.ip);
  if (!taken.ok) throw new TooManyRequests('Too many accounts were opened from this address.', taken.waitMs);
  const opened = await account.signIn.openAccount(proof, signUpPlan, draft);
  if (opened === 'no plan')
    ctx.state.log.error({ plan: signUpPlan }, 'sign-up failed: SIGN_UP_PLAN is not the name of an active plan');
  return opened;
}

export const signInWithPasskey = accountEndpoint({
  method: 'post',
  path: 'sign-in/passkey',
  gates,
  body: knownPasskey,
  answer: signedIn,
  handler: async ({ body, ...context }) => {
    const credential = await readKnownCredential(context, { passkey: body }, signIn);
    return beginSessionReply(context, 'passkey', (draft) => context.account.signIn.enter(credential, draft));
  },
});
