import type { ComponentChildren } from 'preact';
import type { SignedIn } from '../../../src/account/answers.ts';
import { navigate } from '../../shared/navigation.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Badge } from '../../shared/ui/chip.tsx';
import { ErrorNote, Note } from '../../shared/ui/notes.tsx';
import { signOut } from '../api.ts';
import { refreshSession } from '../session.ts';
import { useAnnouncement } from './parts.tsx';
import { useAction } from './use-request.ts';

const pages = [
  { path: '/account/keys', label: 'Keys' },
  { path: '/account/usage', label: 'Usage' },
  { path: '/account/payments', label: 'Payments' },
  { path: '/account/security', label: 'Security' },
] as const;
const operatorPage = { path: '/account/operator', label: 'Operator' } as const;

interface AccountLayoutProps {
  readonly session: SignedIn;
  readonly path: string;
  readonly children: ComponentChildren;
}

/** The frame of each account page: the account's name, the navigation and the sign-out button. */
export function AccountLayout({ session, path, children }: AccountLayoutProps) {
  const { account } = session;
  const leave = useAction();
  const announcement = useAnnouncement();
  const onSignOut = async () => {
    const done = await leave.run(async () => {
      await signOut();
      await refreshSession();
    });
    if (done) navigate('/account/sign-in', { replace: true });
  };
  return (
    <div class="account">
      <div class="account-side">
        <div class="account-whose">
          <p class="account-name">{account.name}</p>
          <p class="account-plan">
            <Badge>{account.plan}</Badge> plan
          </p>
        </div>
        <nav class="account-nav" aria-label="Account">
          {(account.role === 'operator' ? [...pages, operatorPage] : pages).map((page) => (
            <a key={page.path} href={page.path} aria-current={page.path === path ? 'page' : undefined}>
              {page.label}
            </a>
          ))}
        </nav>
        <div class="account-leave">
          <Button small tone="quiet" busy={leave.busy} onClick={onSignOut}>
            Sign out
          </Button>
        </div>
      </div>
      <p class="visually-hidden" role="status">
        {announcement}
      </p>
      <div class="account-page">
        {leave.error !== null && <ErrorNote>{leave.error}</ErrorNote>}
        {!account.active && (
          <Note tone="warning">
            This account is suspended: its keys are refused. Ask the operator of this service to resume it.
          </Note>
        )}
        {children}
      </div>
    </div>
  );
}
