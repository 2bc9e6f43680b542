import type { Ledger } from '../../../../src/account/answers.ts';
import { get } from '../../../shared/account-api.ts';
import { formatNumber } from '../../../shared/format.ts';
import { navigate } from '../../../shared/navigation.ts';
import { Badge } from '../../../shared/ui/chip.tsx';
import { Table, WithCode } from '../../../shared/ui/table.tsx';
import { Tabs } from '../../../shared/ui/tabs.tsx';
import type { AccountPageProps } from '../../lib/page-props.ts';
import { Fact, LoadedPart, PageHeading, Section, Time } from '../parts.tsx';
import { useLoaded } from '../use-request.ts';
import { paymentWord } from '../words.ts';
import { AccountView } from './account-view.tsx';
import { AccountSearch, accountsHref } from './accounts.tsx';
import { IndexView } from './index-view.tsx';
import { Commands } from './parts.tsx';

function PaymentsView() {
  const payments = useLoaded(() => get<Ledger>('operator/payments'));
  return (
    <LoadedPart loaded={payments} lines={6}>
      {({ by_status: rows, audit }) => (
        <>
          <Section title="Payments by status">
            <Table
              caption="Payments by status"
              rows={rows}
              rowKey={({ status }) => status}
              empty="No payments"
              columns={[
                {
                  head: 'Status',
                  names: true,
                  cell: ({ status }) => (
                    <WithCode code={status}>
                      <Badge tone={paymentWord(status).tone}>{paymentWord(status).word}</Badge>
                    </WithCode>
                  ),
                },
                { head: 'Payments', numeric: true, cell: ({ count }) => formatNumber(count) },
                { head: 'Amount (USD)', numeric: true, cell: ({ amount_usd }) => amount_usd },
              ]}
            />
          </Section>
          <Section title="Audit against the chain">
            {audit === null ? <p class="muted">No audit yet</p> : <Audit of={audit} />}
          </Section>
          <Commands lines={['payments list', 'payments audit']} />
        </>
      )}
    </LoadedPart>
  );
}

function Audit({ of: audit }: { readonly of: NonNullable<Ledger['audit']> }) {
  const { finished_at, recipients, open_findings } = audit;
  return (
    <dl class="fact-grid">
      <Fact term="Open findings">
        <Badge tone={open_findings === 0 ? 'good' : 'bad'}>{formatNumber(open_findings)}</Badge>
      </Fact>
      <Fact term="Recipients">{formatNumber(recipients)}</Fact>
      <Fact term="Last complete audit">
        {finished_at === null ? <span class="muted">In progress</span> : <Time at={finished_at} />}
      </Fact>
    </dl>
  );
}

const views = [
  { name: 'accounts', label: 'Accounts' },
  { name: 'index', label: 'Indices' },
  { name: 'payments', label: 'Payments' },
] as const;

const viewHref = (view: string) => `/account/operator?view=${view}`;

/** The pages for operators. Every action is also a command of the CLI. */
export function OperatorPage({ session, search }: AccountPageProps) {
  if (session.account.role !== 'operator')
    return (
      <PageHeading title="Operator">
        This page is for operators. An operator can give you access with{' '}
        <code>entity-search accounts change NAME --role operator</code>.
      </PageHeading>
    );
  const params = new URLSearchParams(search);
  const { name } = views.find((view) => view.name === params.get('view')) ?? views[0];
  const query = params.get('query') ?? '';
  const opened = Number(params.get('account'));
  if (opened > 0)
    return <AccountView id={opened} isOwn={opened === session.account.id} backHref={accountsHref(query)} />;
  return (
    <>
      <PageHeading title="Operator">Accounts, indices and payments of this installation.</PageHeading>
      <Tabs
        label="Operator pages"
        tabs={views}
        selected={name}
        hrefOf={viewHref}
        onSelect={(view) => navigate(viewHref(view))}
      >
        {
          {
            accounts: <AccountSearch query={query} />,
            index: <IndexView />,
            payments: <PaymentsView />,
          }[name]
        }
      </Tabs>
    </>
  );
}
