import type { ComponentChildren } from 'preact';
import type { Security } from '../../../../src/account/answers.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Badge } from '../../../shared/ui/chip.tsx';
import { Table } from '../../../shared/ui/table.tsx';
import { createdColumn, lastUsed, Section } from '../parts.tsx';
import { shortAddress } from '../words.ts';

export type Kind = 'wallet' | 'passkey';

/** A wallet or passkey of the account. */
export interface Credential {
  readonly kind: Kind;
  readonly id: number;
  readonly name: string;
}

interface CredentialsProps {
  readonly security: Security;
  /** True if passkeys work at this address of the console. */
  readonly passkeysOffered: boolean;
  readonly onAdd: (kind: Kind) => void;
  readonly onRemove: (credential: Credential) => void;
}

/** The wallets and passkeys of the account, in a table each. */
export function Credentials({ security, passkeysOffered, onAdd, onRemove }: CredentialsProps) {
  const { wallets, passkeys } = security;
  // An account keeps its last credential.
  const canRemove = wallets.length + passkeys.length > 1;
  const removal = (credential: Credential): ComponentChildren =>
    canRemove ? (
      <Button small tone="danger" aria-label={`Remove ${credential.name}`} onClick={() => onRemove(credential)}>
        Remove
      </Button>
    ) : (
      <span class="muted">Only sign-in method</span>
    );
  return (
    <>
      <Section title="Wallets" action={<Button onClick={() => onAdd('wallet')}>Add a wallet</Button>}>
        <Table
          caption="Wallets"
          rows={wallets}
          rowKey={({ id }) => id}
          empty="No wallets yet. A wallet signs you in and shows its payments."
          columns={[
            { head: 'Address', names: true, cell: ({ address }) => <code class="address">{address}</code> },
            createdColumn('Added'),
            lastUsed,
          ]}
          actions={({ id, address }) => removal({ kind: 'wallet', id, name: shortAddress(address) })}
        />
      </Section>
      <Section
        title="Passkeys"
        action={passkeysOffered && <Button onClick={() => onAdd('passkey')}>Add a passkey</Button>}
      >
        <Table
          caption="Passkeys"
          rows={passkeys}
          rowKey={({ id }) => id}
          empty={
            passkeysOffered
              ? 'No passkeys. Add one to sign in with your fingerprint, face or device PIN.'
              : 'Passkeys are not available at this address. They need a domain name, such as localhost.'
          }
          columns={[
            { head: 'Name', names: true, cell: ({ name }) => <span class="key-name">{name}</span> },
            {
              head: 'Storage',
              cell: ({ backed_up: copied }) =>
                copied ? <Badge tone="good">Backed up</Badge> : <Badge>Not backed up</Badge>,
            },
            createdColumn('Added'),
            lastUsed,
          ]}
          actions={({ id, name }) => removal({ kind: 'passkey', id, name })}
        />
      </Section>
    </>
  );
}
