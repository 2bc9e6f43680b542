import { useEffect, useState } from 'preact/hooks';
import type { Invitation, SessionState, SignedIn } from '../../../src/account/answers.ts';
import { post } from '../../shared/account-api.ts';
import { navigate } from '../../shared/navigation.ts';
import { EmptyState, Note } from '../../shared/ui/notes.tsx';
import type { EntranceProps } from '../lib/page-props.ts';
import { setSession } from '../session.ts';
import { LoadedPart, PageHeading, Time } from './parts.tsx';
import { accountHome } from './return-path.ts';
import { PasskeyForm } from './signing/passkey-form.tsx';
import { Signers } from './signing/signers.tsx';
import { useLoaded } from './use-request.ts';

/** Removes the token from the address bar, where it could be seen, saved or shared. */
function takeToken(): string {
  const token = location.hash.slice(1);
  if (token !== '') history.replaceState(history.state, '', `${location.pathname}${location.search}`);
  return token;
}

/** The page of an invitation, where its recipient signs in to the account for the first time. */
export function InvitationPage({ session }: EntranceProps) {
  const [token, setToken] = useState(takeToken);
  useEffect(() => {
    // Another link that is opened in the same tab loads no document.
    const onHashChange = () => setToken((before) => takeToken() || before);
    addEventListener('hashchange', onHashChange);
    return () => removeEventListener('hashchange', onHashChange);
  }, []);
  return (
    <div class="entrance">
      <PageHeading title="Your invitation" />
      {token === '' ? (
        <EmptyState title="The invitation link is incomplete" action={<a href="/account/sign-in">Go to sign in</a>}>
          Open the complete link from your invitation. It works once.
        </EmptyState>
      ) : (
        <Opened key={token} token={token} session={session} />
      )}
    </div>
  );
}

function Opened({ token, session }: { readonly token: string; readonly session: SessionState }) {
  const loaded = useLoaded(() => post<Invitation>('invitations/read', { token }));
  const accept = async (credential: object) => {
    setSession(await post<SignedIn>('invitations/accept', { token, ...credential }));
    navigate(accountHome, { replace: true });
  };
  const { available, wallets, passkeys, reason } = session.sign_in;
  return (
    <LoadedPart loaded={loaded}>
      {(invitation) => (
        <>
          <p class="account-lead">
            Join the account <strong>{invitation.account}</strong> on the plan <strong>{invitation.plan}</strong>. The
            invitation expires on <Time at={invitation.expires_at} exact />. Choose how to sign in.
          </p>
          {session.signed_in && (
            <Note tone="warning">
              You are signed in as {session.account.name}. Accepting signs you in to {invitation.account} instead.
            </Note>
          )}
          {!available && <Note tone="warning">{reason ?? 'Sign-in is not available at this address.'}</Note>}
          {available && passkeys && (
            <section class="entrance-form" aria-labelledby="with-passkey">
              <h2 id="with-passkey">With a passkey</h2>
              <PasskeyForm
                hint="A name that you will recognize, such as the device."
                suggested="My passkey"
                submit="Create a passkey"
                invitation={token}
                onCreated={(passkey) => accept({ passkey })}
              />
            </section>
          )}
          {available && reason !== null && <Note>{reason}</Note>}
          {wallets && (
            <section class="entrance-other" aria-labelledby="with-wallet">
              <h2 id="with-wallet">{passkeys ? 'Or with a wallet' : 'With a wallet'}</h2>
              <Signers session={session} purpose="invitation" invitation={token} onSigned={accept} />
            </section>
          )}
        </>
      )}
    </LoadedPart>
  );
}
