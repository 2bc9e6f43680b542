import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { navigate, type Place } from '../../shared/navigation.ts';
import { Button } from '../../shared/ui/button.tsx';
import { EmptyState, ErrorNote, PageLoading } from '../../shared/ui/notes.tsx';
import type { AccountPageProps, EntranceProps } from '../lib/page-props.ts';
import { refreshSession, useSession } from '../session.ts';
import { InvitationPage } from './invitation-page.tsx';
import { KeysPage } from './keys/keys-page.tsx';
import { AccountLayout } from './layout.tsx';
import { OperatorPage } from './operator/operator-page.tsx';
import { PaymentsPage } from './payments-page.tsx';
import { accountHome, accountPages, signInPath } from './return-path.ts';
import { SecurityPage } from './security/security-page.tsx';
import { SignInPage } from './sign-in-page.tsx';
import { UsagePage } from './usage/usage-page.tsx';
import { useAction } from './use-request.ts';

const entrances: Readonly<Record<string, ComponentType<EntranceProps>>> = {
  '/account/sign-in': SignInPage,
  '/account/invitation': InvitationPage,
};

const pages: Readonly<Record<(typeof accountPages)[number], ComponentType<AccountPageProps>>> = {
  '/account/keys': KeysPage,
  '/account/usage': UsagePage,
  '/account/payments': PaymentsPage,
  '/account/security': SecurityPage,
  '/account/operator': OperatorPage,
};

/** All pages under `/account`. Opens the sign-in page for visitors. */
export function AccountPages({ path, search }: Place) {
  const session = useSession();
  const Entrance = entrances[path];
  const away = session !== null && session !== 'failed' && !session.signed_in && Entrance === undefined;
  useEffect(() => {
    if (away) navigate(signInPath(`${path}${search}`), { replace: true });
    else if (path === '/account') navigate(accountHome, { replace: true });
  }, [away, path, search]);
  if (session === null) return <PageLoading />;
  if (session === 'failed') return <SessionFailed />;
  if (Entrance !== undefined) return <Entrance search={search} session={session} />;
  if (!session.signed_in || path === '/account') return <PageLoading />;
  const known = accountPages.find((page) => page === path);
  const Page = known && pages[known];
  return (
    <AccountLayout session={session} path={path}>
      {Page === undefined ? <NoSuchPage /> : <Page key={path} search={search} session={session} />}
    </AccountLayout>
  );
}

function SessionFailed() {
  const { busy, run } = useAction();
  return (
    <div class="page">
      <h1 tabIndex={-1}>Account</h1>
      <ErrorNote
        action={
          <Button small busy={busy} onClick={() => run(refreshSession)}>
            Try again
          </Button>
        }
      >
        Your account could not be loaded. Check your connection, then try again.
      </ErrorNote>
    </div>
  );
}

function NoSuchPage() {
  return (
    <>
      <h1 tabIndex={-1}>Page not found</h1>
      <EmptyState title="Check the address." action={<a href={accountHome}>Go to your keys</a>} />
    </>
  );
}
