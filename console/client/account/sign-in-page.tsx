import { useEffect } from 'preact/hooks';
import type { SessionState, SignedIn } from '../../../src/account/answers.ts';
import { post } from '../../shared/account-api.ts';
import { navigate } from '../../shared/navigation.ts';
import { Note } from '../../shared/ui/notes.tsx';
import type { EntranceProps } from '../lib/page-props.ts';
import { sessionEnded, setSession } from '../session.ts';
import { PageHeading } from './parts.tsx';
import { returnPath } from './return-path.ts';
import { Signers } from './signing/signers.tsx';
import type { Proof } from './signing/wallets.ts';

const signUpWords: Readonly<Record<SessionState['sign_up'], string>> = {
  open: 'Sign in with any wallet to get a free account.',
  invited: 'Accounts are by invitation. Ask the operator of this service for a link.',
  closed: 'Sign-up is closed. Ask the operator of this service for an account.',
};

/** Sign-in with a wallet or a passkey. Then opens the page that led here. */
export function SignInPage({ session, search }: EntranceProps) {
  useEffect(() => {
    if (session.signed_in) navigate(returnPath(search), { replace: true });
  }, [session.signed_in, search]);
  const { available, passkeys, reason } = session.sign_in;
  return (
    <div class="entrance">
      <PageHeading title="Sign in">
        Manage your API keys, usage and receipts. Instead of a password, you sign a message. It costs nothing.
      </PageHeading>
      {sessionEnded() && <Note tone="warning">Your session has ended. Sign in again to continue.</Note>}
      {available ? (
        <Signers
          session={session}
          purpose="sign-in"
          passkey={passkeys ? 'Sign in with a passkey' : null}
          onSigned={async (proof) => setSession(await signIn(proof))}
        />
      ) : (
        <Note tone="warning">{reason ?? 'Sign-in is not available at this address.'}</Note>
      )}
      {available && reason !== null && <Note>{reason}</Note>}
      <div class="entrance-help">
        <section>
          <h2>New here?</h2>
          <p>{signUpWords[session.sign_up]}</p>
        </section>
        <section>
          <h2>No wallet or passkey?</h2>
          <p>
            Ask the operator of this service for an invitation, and create a passkey with it. You then sign in with your
            fingerprint, face or device PIN.{' '}
            {session.visitor_searches_per_minute > 0 && (
              <>
                <a href="/search">Search</a> works without an account.
              </>
            )}
          </p>
        </section>
      </div>
    </div>
  );
}

function signIn(proof: Proof): Promise<SignedIn> {
  return 'wallet' in proof ? post('sign-in/wallet', proof.wallet) : post('sign-in/passkey', proof.passkey);
}
