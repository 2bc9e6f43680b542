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
import { AccountView } from './account-view.tsx';
import { ActiveBadge, CommandLine } from './parts.tsx';

const operatorPath = '/account/operator';

interface AccountsProps {
  /** The operator's own account. */
  readonly ownId: number;
  /** The parameters of the address: the account that is open, or the query of the list. */
  readonly params: URLSearchParams;
}

/** All accounts, or the one that is open. */
export function Accounts({ ownId, params }: AccountsProps) {
  const opened = Number(params.get('account'));
  const query = params.get('query') ?? '';
  const listHref = query === '' ? operatorPath : `${operatorPath}?${new URLSearchParams({ query })}`;
  if (opened > 0) return <AccountView id={opened} isOwn={opened === ownId} backHref={listHref} />;
  return <AccountSearch query={query} />;
}

function AccountSearch({ query }: { readonly query: string }) {
  const [typed, setTyped] = useState(query);
  const path = `operator/accounts?${new URLSearchParams({ query })}`;
  const more = useMore(path, 'after', ({ accounts }: OperatorAccounts) => accounts);
  const submit = (event: Event) => {
    event.preventDefault();
    navigate(`${operatorPath}?${new URLSearchParams({ query: typed.trim() })}`);
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
            <EmptyState title="No results" />
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
      <CommandLine>entity-search accounts list</CommandLine>
    </>
  );
}
