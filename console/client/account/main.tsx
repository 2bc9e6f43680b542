import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { navigate } from '../../shared/navigation.ts';
import { Button } from '../../shared/ui/button.tsx';
import { EmptyState, ErrorNote, PageLoading } from '../../shared/ui/notes.tsx';
import { type AccountPageProps, type EntranceProps, LazyPage, type LazyPageProps } from '../lib/lazy-page.tsx';
import { refreshSession, useSession } from '../session.ts';
import { AccountLayout } from './layout.tsx';
import { accountHome, signInPath } from './return-path.ts';
import { useAction } from './use-request.ts';

const entrances: Readonly<Record<string, () => Promise<ComponentType<EntranceProps>>>> = {
  '/account/sign-in': () => import('./sign-in-page.tsx').then(({ SignInPage }) => SignInPage),
  '/account/invitation': () => import('./invitation-page.tsx').then(({ InvitationPage }) => InvitationPage),
};

const pages: Readonly<Record<string, () => Promise<ComponentType<AccountPageProps>>>> = {
  '/account/keys': () => import('./keys/keys-page.tsx').then(({ KeysPage }) => KeysPage),
  '/account/usage': () => import('./usage/usage-page.tsx').then(({ UsagePage }) => UsagePage),
  '/account/payments': () => import('./payments-page.tsx').then(({ PaymentsPage }) => PaymentsPage),
  '/account/security': () => import('./security/security-page.tsx').then(({ SecurityPage }) => SecurityPage),
  '/account/operator': () => import('./operator/operator-page.tsx').then(({ OperatorPage }) => OperatorPage),
};

/** All pages under `/account`. Opens the sign-in page for visitors. */
export function AccountPages(props: LazyPageProps) {
  const { path, search } = props;
  const session = useSession();
  const isEntrance = path in entrances;
  const away = session !== null && session !== 'failed' && !session.signed_in && !isEntrance;
  useEffect(() => {
    if (away) navigate(signInPath(`${path}${search}`), { replace: true });
    else if (path === '/account') navigate(accountHome, { replace: true });
  }, [away, path, search]);
  if (session === null) return <PageLoading />;
  if (session === 'failed') return <SessionFailed />;
  const entrance = entrances[path];
  if (entrance !== undefined) return <LazyPage key={path} load={entrance} props={{ ...props, session }} />;
  if (!session.signed_in || path === '/account') return <PageLoading />;
  const page = pages[path];
  return (
    <AccountLayout session={session} path={path}>
      {page === undefined ? <NoSuchPage /> : <LazyPage key={path} load={page} props={{ ...props, session }} />}
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
      <h1 tabIndex={-1}>No such page</h1>
      <EmptyState title="There is nothing at this address" action={<a href={accountHome}>Go to your keys</a>} />
    </>
  );
}
