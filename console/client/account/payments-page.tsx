import type { Payment, Payments } from '../../../src/account/answers.ts';
import { apiPath } from '../../shared/account-api.ts';
import { labelOf } from '../../shared/record.ts';
import { Badge } from '../../shared/ui/chip.tsx';
import { EmptyState } from '../../shared/ui/notes.tsx';
import { Table } from '../../shared/ui/table.tsx';
import type { AccountPageProps } from '../lib/page-props.ts';
import { readPageState } from '../lib/page-state.ts';
import { LoadedList, PageHeading, Time } from './parts.tsx';
import { useMore } from './use-request.ts';
import { paymentWord, shortAddress } from './words.ts';

export function PaymentsPage({ session }: AccountPageProps) {
  const more = useMore('payments?limit=25', 'before', ({ payments }: Payments) =>
    // No explorer knows the chain of the demo.
    session.demo_wallet === null ? payments : payments.map((each) => ({ ...each, transaction_url: null })),
  );
  return (
    <>
      <PageHeading title="Payments">Searches that your wallets paid for.</PageHeading>
      <LoadedList more={more}>
        {(rows) => (rows.length === 0 ? <HowToPay /> : <PaymentTable payments={rows} />)}
      </LoadedList>
    </>
  );
}

function PaymentTable({ payments }: { readonly payments: readonly Payment[] }) {
  return (
    <Table
      caption="Payments"
      rows={payments}
      rowKey={({ id }) => id}
      columns={[
        { head: 'Date', names: true, cell: ({ created_at }) => <Time at={created_at} exact /> },
        { head: 'Search', cell: ({ request }) => <SearchText request={request} /> },
        {
          head: 'Amount',
          numeric: true,
          cell: ({ amount_usd, asset_symbol }) => (
            <>
              {amount_usd} <span class="muted">{asset_symbol}</span>
            </>
          ),
        },
        { head: 'Status', cell: (payment) => <PaymentState payment={payment} /> },
        {
          head: 'Network',
          cell: (payment) => <Transfer payment={payment} />,
        },
        { head: 'Receipt', cell: (payment) => <Receipt payment={payment} /> },
      ]}
    />
  );
}

function SearchText({ request }: Pick<Payment, 'request'>) {
  const { q, type, page } = request;
  const rest = [type === 'all' ? '' : labelOf(type), page === 1 ? '' : `page ${page}`].filter((part) => part !== '');
  return (
    <>
      <span class="payment-query">{q === '' ? 'Everything' : `“${q}”`}</span>
      {rest.length > 0 && <span class="below">{rest.join(', ')}</span>}
    </>
  );
}

function PaymentState({ payment }: { readonly payment: Payment }) {
  const { word, tone, means } = paymentWord(payment.status);
  const waits = payment.status === 'settled' && payment.delivered_at === null;
  const text = waits ? 'Paid, but not delivered yet. Send the same request again to get the results.' : means;
  return (
    <>
      <Badge tone={tone}>{word}</Badge>
      {payment.status === 'settled' && !payment.final && <span class="below">Waiting for confirmations</span>}
      {(payment.status !== 'settled' || waits) && text !== '' && <span class="below">{text}</span>}
    </>
  );
}

function Transfer({ payment: { network_title, transaction, transaction_url, payer } }: { readonly payment: Payment }) {
  return (
    <>
      {network_title}
      <span class="below">
        from <code title={payer}>{shortAddress(payer)}</code>
      </span>
      {transaction !== null && (
        <span class="below">
          {transaction_url === null ? (
            <code title={transaction}>{shortAddress(transaction)}</code>
          ) : (
            <a href={transaction_url} rel="noreferrer">
              Transaction {shortAddress(transaction)}
            </a>
          )}
        </span>
      )}
    </>
  );
}

function Receipt({ payment: { id, status, transaction } }: { readonly payment: Payment }) {
  if (status !== 'settled' || transaction === null) return <span class="muted">None</span>;
  return (
    <a href={`${apiPath}/payments/${id}/receipt`} download>
      Download<span class="visually-hidden"> the receipt of payment {id}</span>
    </a>
  );
}

function HowToPay() {
  if (readPageState()?.site.priceUsd === null)
    return <EmptyState title="No payments yet">This service does not sell single searches. Use an API key.</EmptyState>;
  return (
    <EmptyState title="No payments yet" action={<a href="/docs#paidSearch">Payment guide</a>}>
      Your programs can pay for single searches from a wallet, without a key. Payments from{' '}
      <a href="/account/security">your wallets</a> appear here.
    </EmptyState>
  );
}
