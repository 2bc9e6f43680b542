import { useState } from 'preact/hooks';
import type { OperatorAccount } from '../../../../src/account/answers.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Badge } from '../../../shared/ui/chip.tsx';
import { Field } from '../../../shared/ui/field.tsx';
import { EmptyState } from '../../../shared/ui/notes.tsx';
import { Table } from '../../../shared/ui/table.tsx';
import { getOperatorAccounts } from '../../api.ts';
import { formatNumber } from '../format.ts';
import { createdColumn, LoadedPart, LoadMore } from '../parts.tsx';
import { useMore } from '../use-request.ts';
import { AccountView } from './account-view.tsx';
import { ActiveBadge, CommandLine, SuspensionDialog } from './parts.tsx';

/**
 * All accounts, or the one that is open.
 * @param ownId the operator's own account; operators cannot suspend themselves here, because they could not undo it
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
  const [asked, setAsked] = useState<OperatorAccount | null>(null);
  const more = useMore<OperatorAccount, number>(async (after) => {
    const { accounts, next } = await getOperatorAccounts(query, after);
    return { rows: accounts, next };
  }, query);
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
        <Button type="submit" busy={more.first.loading}>
          Find
        </Button>
      </form>
      <LoadedPart loaded={more.first} lines={6}>
        {() =>
          more.rows.length === 0 ? (
            <EmptyState title="No results" />
          ) : (
            <>
              <AccountTable accounts={more.rows} ownId={ownId} onOpen={onOpen} onAsk={setAsked} />
              <LoadMore more={more} />
            </>
          )
        }
      </LoadedPart>
      {asked !== null && (
        <SuspensionDialog account={asked} onClose={() => setAsked(null)} onChanged={more.first.reload} />
      )}
      <CommandLine>entity-search accounts list</CommandLine>
    </>
  );
}

interface AccountTableProps extends Pick<AccountSearchProps, 'ownId' | 'onOpen'> {
  readonly accounts: readonly OperatorAccount[];
  /** Asks for confirmation before an account is suspended or resumed. */
  readonly onAsk: (account: OperatorAccount) => void;
}

function AccountTable({ accounts, ownId, onOpen, onAsk }: AccountTableProps) {
  return (
    <Table
      stacks
      caption="Accounts"
      rows={accounts}
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
        createdColumn('Created'),
      ]}
      actions={(account) =>
        account.id !== ownId && (
          <Button
            small
            tone={account.active ? 'danger' : 'secondary'}
            aria-label={`${account.active ? 'Suspend' : 'Resume'} ${account.name}`}
            onClick={() => onAsk(account)}
          >
            {account.active ? 'Suspend' : 'Resume'}
          </Button>
        )
      }
    />
  );
}
