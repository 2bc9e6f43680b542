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
import { Accounts } from './accounts.tsx';
import { IndexView } from './index-view.tsx';
import { CommandLine } from './parts.tsx';

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
                { head: 'USD', numeric: true, cell: ({ amount_usd }) => amount_usd },
              ]}
            />
            <CommandLine>entity-search payments list</CommandLine>
          </Section>
          <Section title="Audit">
            {audit === null ? <p class="muted">No audit yet</p> : <Audit of={audit} />}
            <CommandLine>entity-search payments audit</CommandLine>
          </Section>
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
  { name: 'index', label: 'Index' },
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
  return (
    <>
      <PageHeading title="Operator">Accounts, the index and payments of this installation.</PageHeading>
      <Tabs
        label="Operator pages"
        tabs={views}
        selected={name}
        hrefOf={viewHref}
        onSelect={(view) => navigate(viewHref(view))}
      >
        {
          {
            accounts: <Accounts ownId={session.account.id} params={params} />,
            index: <IndexView />,
            payments: <PaymentsView />,
          }[name]
        }
      </Tabs>
    </>
  );
}
