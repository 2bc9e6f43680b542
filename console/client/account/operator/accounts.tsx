import { useState } from 'preact/hooks';
import type { OperatorAccounts } from '../../../../src/account/answers.ts';
import { formatNumber } from '../../../shared/format.ts';
import { navigate } from '../../../shared/navigation.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Badge } from '../../../shared/ui/chip.tsx';
import { TextField } from '../../../shared/ui/field.tsx';
import { EmptyState } from '../../../shared/ui/notes.tsx';
import { Table } from '../../../shared/ui/table.tsx';
import { createdColumn, LoadedList } from '../parts.tsx';
import { useMore } from '../use-request.ts';
import { ActiveBadge, Commands } from './parts.tsx';

const operatorPath = '/account/operator';

/** Returns the address of the list of accounts. */
export function accountsHref(query: string): string {
  return query === '' ? operatorPath : `${operatorPath}?${new URLSearchParams({ query })}`;
}

export function AccountSearch({ query }: { readonly query: string }) {
  const [typed, setTyped] = useState(query);
  const path = `operator/accounts?${new URLSearchParams({ query })}`;
  const more = useMore(path, 'after', ({ accounts }: OperatorAccounts) => accounts);
  const submit = (event: Event) => {
    event.preventDefault();
    navigate(accountsHref(typed.trim()));
  };
  return (
    <>
      <form class="inline-form" onSubmit={submit}>
        <TextField
          label="Find accounts by name or wallet address"
          type="search"
          maxLength={100}
          value={typed}
          onValue={setTyped}
        />
        <Button type="submit" busy={more.first.loading}>
          Find
        </Button>
      </form>
      <LoadedList more={more}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title={query === '' ? 'No accounts yet' : `No accounts match “${query}”`} />
          ) : (
            <Table
              caption="Accounts"
              rows={rows}
              rowKey={({ id }) => id}
              columns={[
                {
                  head: 'Name',
                  names: true,
                  cell: ({ id, name, role }) => (
                    <>
                      <a href={`${operatorPath}?${new URLSearchParams({ query, account: String(id) })}`}>{name}</a>{' '}
                      {role === 'operator' && <Badge tone="accent">Operator</Badge>}
                    </>
                  ),
                },
                { head: 'Plan', cell: ({ plan }) => plan },
                { head: 'Status', cell: ({ active }) => <ActiveBadge active={active} /> },
                { head: 'Live keys', numeric: true, cell: (account) => formatNumber(account.live_keys) },
                { head: 'Calls this month', numeric: true, cell: (account) => formatNumber(account.used_this_month) },
                createdColumn('Created'),
              ]}
            />
          )
        }
      </LoadedList>
      <Commands lines={['accounts list', 'accounts invite NAME --plan PLAN', 'accounts usage NAME']} />
    </>
  );
}
