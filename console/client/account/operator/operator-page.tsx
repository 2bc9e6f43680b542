import { navigate } from '../../../shared/navigation.ts';
import { Tabs } from '../../../shared/ui/tabs.tsx';
import type { AccountPageProps } from '../../lib/lazy-page.tsx';
import { PageHeading } from '../parts.tsx';
import { Accounts } from './accounts.tsx';
import { IndexView } from './index-view.tsx';
import { PaymentsView } from './payments-view.tsx';

const views = [
  { name: 'accounts', label: 'Accounts' },
  { name: 'index', label: 'Index' },
  { name: 'payments', label: 'Payments' },
] as const;

/** The pages for operators. Every action is also a command of the CLI. */
export function OperatorPage({ session, search }: AccountPageProps) {
  if (session.account.role !== 'operator')
    return (
      <PageHeading title="Operator">
        This page is for operators. An operator can give you access with{' '}
        <code>entity-search accounts change NAME --role operator</code>.
      </PageHeading>
    );
  const asked = new URLSearchParams(search).get('view');
  const { name } = views.find((view) => view.name === asked) ?? views[0];
  return (
    <>
      <PageHeading title="Operator">Accounts, the index and payments of this installation.</PageHeading>
      <Tabs
        label="Operator pages"
        tabs={views}
        selected={name}
        onSelect={(view) => navigate(`/account/operator?view=${view}`, { replace: true })}
      >
        {
          {
            accounts: <Accounts ownId={session.account.id} />,
            index: <IndexView />,
            payments: <PaymentsView />,
          }[name]
        }
      </Tabs>
    </>
  );
}
