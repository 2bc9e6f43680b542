import type { ComponentChildren } from 'preact';
import type { SignedIn } from '../../../src/account/answers.ts';
import { post } from '../../shared/account-api.ts';
import { labelOf } from '../../shared/record.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Badge } from '../../shared/ui/chip.tsx';
import { ErrorNote, Note } from '../../shared/ui/notes.tsx';
import { refreshSession } from '../session.ts';
import { useAnnouncement } from './parts.tsx';
import { accountPages } from './return-path.ts';
import { useAction } from './use-request.ts';

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
  const onSignOut = () =>
    leave.run(async () => {
      await post('sign-out');
      await refreshSession();
    });
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
          {accountPages
            .filter((page) => account.role === 'operator' || page !== '/account/operator')
            .map((page) => (
              <a key={page} href={page} aria-current={page === path ? 'page' : undefined}>
                {labelOf(page.slice('/account/'.length))}
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
            This account is suspended, and its keys do not work. Contact the operator of this service.
          </Note>
        )}
        {children}
      </div>
    </div>
  );
}
