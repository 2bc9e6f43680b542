import type { Passkey, Wallet } from '../../../../src/account/answers.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Badge } from '../../../shared/ui/chip.tsx';
import { Table } from '../../../shared/ui/table.tsx';
import { createdColumn, lastUsed, Section } from '../parts.tsx';
import { shortAddress } from '../words.ts';

interface CredentialsProps {
  /** False for the account's last credential. */
  readonly canRemove: boolean;
  readonly onAdd: () => void;
}

interface WalletsProps extends CredentialsProps {
  readonly wallets: readonly Wallet[];
  readonly onRemove: (wallet: Wallet) => void;
}

export function Wallets({ wallets, canRemove, onAdd, onRemove }: WalletsProps) {
  return (
    <Section title="Wallets" action={<Button onClick={onAdd}>Add a wallet</Button>}>
      <Table
        stacks
        caption="Wallets"
        rows={wallets}
        rowKey={({ id }) => id}
        empty="No wallets yet. A wallet signs you in and shows its payments."
        columns={[
          { head: 'Address', names: true, cell: ({ address }) => <code class="address">{address}</code> },
          createdColumn('Added'),
          lastUsed,
        ]}
        actions={(wallet) => (
          <Remove what={shortAddress(wallet.address)} canRemove={canRemove} onRemove={() => onRemove(wallet)} />
        )}
      />
    </Section>
  );
}

interface PasskeysProps extends CredentialsProps {
  readonly passkeys: readonly Passkey[];
  /** True if passkeys work at this address of the console. */
  readonly offered: boolean;
  readonly onRemove: (passkey: Passkey) => void;
}

export function Passkeys({ passkeys, offered, canRemove, onAdd, onRemove }: PasskeysProps) {
  return (
    <Section title="Passkeys" action={offered ? <Button onClick={onAdd}>Add a passkey</Button> : undefined}>
      <Table
        stacks
        caption="Passkeys"
        rows={passkeys}
        rowKey={({ id }) => id}
        empty={
          offered
            ? 'No passkeys yet. A passkey signs you in with your fingerprint, face or device PIN.'
            : 'Passkeys are not available at this address. They need a domain name, such as localhost.'
        }
        columns={[
          { head: 'Name', names: true, cell: ({ name }) => <span class="key-name">{name}</span> },
          {
            head: 'Storage',
            cell: ({ backed_up }) => (backed_up ? <Badge tone="good">Backed up</Badge> : <Badge>On one device</Badge>),
          },
          createdColumn('Added'),
          lastUsed,
        ]}
        actions={(passkey) => <Remove what={passkey.name} canRemove={canRemove} onRemove={() => onRemove(passkey)} />}
      />
    </Section>
  );
}

interface RemoveProps {
  readonly what: string;
  readonly canRemove: boolean;
  readonly onRemove: () => void;
}

function Remove({ what, canRemove, onRemove }: RemoveProps) {
  if (!canRemove) return <span class="muted">Only sign-in method</span>;
  return (
    <Button small tone="danger" aria-label={`Remove ${what}`} onClick={onRemove}>
      Remove
    </Button>
  );
}
