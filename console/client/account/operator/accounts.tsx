import { useState } from 'preact/hooks';
import type { OperatorAccounts } from '../../../../src/account/answers.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Badge } from '../../../shared/ui/chip.tsx';
import { TextField } from '../../../shared/ui/field.tsx';
import { EmptyState } from '../../../shared/ui/notes.tsx';
import { Table } from '../../../shared/ui/table.tsx';
import { formatNumber } from '../format.ts';
import { createdColumn, LoadedList } from '../parts.tsx';
import { useMore } from '../use-request.ts';
import { AccountView } from './account-view.tsx';
import { ActiveBadge, CommandLine } from './parts.tsx';

/**
 * All accounts, or the one that is open.
 * @param ownId the operator's own account
 */
export function Accounts({ ownId }: { readonly ownId: number }) {
  const [query, setQuery] = useState('');
  const [opened, setOpened] = useState<number | null>(null);
  if (opened !== null) return <AccountView id={opened} isOwn={opened === ownId} onBack={() => setOpened(null)} />;
  return <AccountSearch query={query} onQuery={setQuery} onOpen={setOpened} />;
}

interface AccountSearchProps {
  readonly query: string;
  readonly onQuery: (query: string) => void;
  readonly onOpen: (id: number) => void;
}

function AccountSearch({ query, onQuery, onOpen }: AccountSearchProps) {
  const [typed, setTyped] = useState(query);
  const path = `operator/accounts?${new URLSearchParams({ query })}`;
  const more = useMore(path, 'after', ({ accounts }: OperatorAccounts) => accounts);
  const submit = (event: Event) => {
    event.preventDefault();
    onQuery(typed.trim());
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
              stacks
              caption="Accounts"
              rows={rows}
              rowKey={({ id }) => id}
              columns={[
                {
                  head: 'Name',
                  names: true,
                  cell: ({ id, name, role }) => (
                    <>
                      <button type="button" class="link-button" onClick={() => onOpen(id)}>
                        {name}
                      </button>{' '}
                      {role === 'operator' && <Badge tone="accent">Operator</Badge>}
                    </>
                  ),
                },
                { head: 'Plan', cell: ({ plan }) => plan },
                { head: 'State', cell: ({ active }) => <ActiveBadge active={active} /> },
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
