import type { AccountKey } from '../../../../src/account/answers.ts';
import { dayMs } from '../../../shared/durations.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Badge, type BadgeTone } from '../../../shared/ui/chip.tsx';
import { Table, WithCode } from '../../../shared/ui/table.tsx';
import { createdColumn, lastUsed, TimeOr } from '../parts.tsx';

const states: Readonly<Record<AccountKey['state'], readonly [word: string, tone: BadgeTone]>> = {
  live: ['Active', 'good'],
  expired: ['Expired', 'neutral'],
  revoked: ['Revoked', 'neutral'],
};

/** The longest overlap of a rotation, after which the old key expires. */
const soonMs = 30 * dayMs;

function stateOf({ state, expires_at: expires }: AccountKey): (typeof states)[AccountKey['state']] {
  const expiresSoon = state === 'live' && expires !== null && Date.parse(expires) - Date.now() <= soonMs;
  return expiresSoon ? ['Expires soon', 'warning'] : states[state];
}

interface KeyTableProps {
  readonly keys: readonly AccountKey[];
  /** The account's own keys can also be renamed and rotated. */
  readonly onRename?: (key: AccountKey) => void;
  readonly onRotate?: (key: AccountKey) => void;
  readonly onRevoke: (key: AccountKey) => void;
}

export function KeyTable({ keys, onRename, onRotate, onRevoke }: KeyTableProps) {
  return (
    <Table
      caption="API keys"
      rows={keys}
      rowKey={({ id }) => id}
      empty="No keys"
      columns={[
        {
          head: 'Name',
          names: true,
          cell: ({ name, environment, prefix }) => (
            <WithCode code={`${prefix}…`}>
              <span class="key-name">{name}</span> {environment === 'test' && <Badge tone="accent">Test</Badge>}
            </WithCode>
          ),
        },
        {
          head: 'Status',
          cell: (key) => {
            const [word, tone] = stateOf(key);
            return <Badge tone={tone}>{word}</Badge>;
          },
        },
        createdColumn('Created'),
        lastUsed,
        { head: 'Expires', cell: ({ expires_at }) => <TimeOr at={expires_at} none="Never" /> },
      ]}
      actions={(key) =>
        key.state === 'live' && (
          <>
            {onRename !== undefined && (
              <Button small aria-label={`Rename ${key.name}`} onClick={() => onRename(key)}>
                Rename
              </Button>
            )}
            {onRotate !== undefined && (
              <Button small aria-label={`Rotate ${key.name}`} onClick={() => onRotate(key)}>
                Rotate
              </Button>
            )}
            <Button small tone="danger" aria-label={`Revoke ${key.name}`} onClick={() => onRevoke(key)}>
              Revoke
            </Button>
          </>
        )
      }
    />
  );
}
