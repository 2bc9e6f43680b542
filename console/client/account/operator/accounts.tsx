import { useState } from 'preact/hooks';
import type { OperatorAccount } from '../../../../src/account/answers.ts';
import { Badge } from '../../../shared/ui/badge.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { Field } from '../../../shared/ui/field.tsx';
import { EmptyState } from '../../../shared/ui/notes.tsx';
import { Table } from '../../../shared/ui/table.tsx';
import { getOperatorAccounts } from '../../api.ts';
import { formatNumber } from '../format.ts';
import { LoadedPart, LoadMore, Time } from '../parts.tsx';
import { useMore } from '../use-more.ts';
import { useLoaded } from '../use-request.ts';
import { AccountView } from './account-view.tsx';
import { ActiveBadge } from './active-badge.tsx';
import { CommandLine } from './command-line.tsx';
import { SuspensionDialog } from './suspension-dialog.tsx';

/**
 * All accounts, and one of them when it is opened.
 * @param ownId of the operator's own account, which is not suspended from here: nobody could resume it here
 */
export function Accounts({ ownId }: { readonly ownId: number }) {
  const [query, setQuery] = useState('');
  const [opened, setOpened] = useState<number | null>(null);
  if (opened !== null) return <AccountView id={opened} isOwn={opened === ownId} onBack={() => setOpened(null)} />;
  return <AccountSearch query={query} ownId={ownId} onQuery={setQuery} onOpen={setOpened} />;
}

interface AccountSearchProps {
  readonly query: string;
  readonly ownId: number;
  readonly onQuery: (query: string) => void;
  readonly onOpen: (id: number) => void;
}

function AccountSearch({ query, ownId, onQuery, onOpen }: AccountSearchProps) {
  const [typed, setTyped] = useState(query);
  const accounts = useLoaded(() => getOperatorAccounts(query), query);
  const submit = (event: Event) => {
    event.preventDefault();
    onQuery(typed.trim());
  };
  return (
    <>
      <form class="inline-form" onSubmit={submit}>
        <Field label="Find accounts by name or wallet address">
          {(control) => (
            <input
              {...control}
              type="search"
              maxLength={100}
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          )}
        </Field>
        <Button type="submit" busy={accounts.loading}>
          Find
        </Button>
      </form>
      <LoadedPart loaded={accounts} lines={6}>
        {({ accounts: rows, next }) =>
          rows.length === 0 ? (
            <EmptyState title="No such account" />
          ) : (
            <AccountList
              query={query}
              ownId={ownId}
              first={rows}
              next={next}
              onOpen={onOpen}
              onChanged={accounts.reload}
            />
          )
        }
      </LoadedPart>
      <CommandLine>entity-search accounts list</CommandLine>
    </>
  );
}

interface AccountListProps extends Pick<AccountSearchProps, 'query' | 'ownId' | 'onOpen'> {
  readonly first: readonly OperatorAccount[];
  readonly next: number | null;
  readonly onChanged: () => void;
}

function AccountList({ query, ownId, first, next, onOpen, onChanged }: AccountListProps) {
  const [asked, setAsked] = useState<OperatorAccount | null>(null);
  const more = useMore(first, next, async (after) => {
    const page = await getOperatorAccounts(query, after);
    return { rows: page.accounts, next: page.next };
  });
  return (
    <>
      <Table
        stacks
        caption="Accounts"
        rows={more.rows}
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
          { head: 'Live keys', numeric: true, cell: ({ live_keys }) => formatNumber(live_keys) },
          { head: 'Calls this month', numeric: true, cell: ({ used_this_month }) => formatNumber(used_this_month) },
          { head: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
          {
            head: <span class="visually-hidden">Actions</span>,
            cell: (account) =>
              account.id !== ownId && (
                <div class="row-actions">
                  <Button
                    small
                    tone={account.active ? 'danger' : 'secondary'}
                    aria-label={`${account.active ? 'Suspend' : 'Resume'} ${account.name}`}
                    onClick={() => setAsked(account)}
                  >
                    {account.active ? 'Suspend' : 'Resume'}
                  </Button>
                </div>
              ),
          },
        ]}
      />
      <LoadMore more={more} />
      {asked !== null && <SuspensionDialog account={asked} onClose={() => setAsked(null)} onChanged={onChanged} />}
    </>
  );
}
