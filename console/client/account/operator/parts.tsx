import type { ComponentChildren } from 'preact';
import type { OperatorAccount } from '../../../../src/account/answers.ts';
import { suspendAccount } from '../../api.ts';
import { announce, ConfirmDialog, StateBadge } from '../parts.tsx';

export function ActiveBadge({ active }: { readonly active: boolean }) {
  return <StateBadge tone={active ? 'good' : 'bad'}>{active ? 'Active' : 'Suspended'}</StateBadge>;
}

/** Shows the equivalent command of the CLI. */
export function CommandLine({ children }: { readonly children: ComponentChildren }) {
  return (
    <p class="command-line">
      On a command line: <code>{children}</code>
    </p>
  );
}

interface SuspensionDialogProps {
  readonly account: OperatorAccount;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

export function SuspensionDialog({ account, onClose, onChanged }: SuspensionDialogProps) {
  const { id, name, active } = account;
  return (
    <ConfirmDialog
      title={active ? `Suspend ${name}?` : `Resume ${name}?`}
      label={active ? 'Suspend' : 'Resume'}
      tone={active ? 'danger' : 'primary'}
      onClose={onClose}
      onConfirm={async () => {
        await suspendAccount(id, active);
        announce(active ? `${name} was suspended.` : `${name} was resumed.`);
        onChanged();
      }}
    >
      <p>
        {active
          ? 'All its keys are refused within 5 seconds, until it is resumed.'
          : 'Its keys are accepted again within 5 seconds.'}
      </p>
    </ConfirmDialog>
  );
}
