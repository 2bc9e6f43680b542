import { useState } from 'preact/hooks';
import type { AccountKey, CreatedKey } from '../../../../src/account/answers.ts';
import { SelectField } from '../../../shared/ui/field.tsx';
import { rotateKey } from '../../api.ts';
import { ConfirmDialog } from '../parts.tsx';

const overlaps = [
  [0, 'No, stop it now'],
  [1, 'For an hour'],
  [24, 'For a day'],
  [72, 'For three days'],
  [168, 'For a week'],
  [720, 'For 30 days'],
] as const;

interface RotateKeyDialogProps {
  readonly apiKey: AccountKey;
  readonly onClose: () => void;
  readonly onRotated: (rotated: { readonly created: CreatedKey; readonly replaces: AccountKey }) => void;
}

export function RotateKeyDialog({ apiKey, onClose, onRotated }: RotateKeyDialogProps) {
  const [hours, setHours] = useState(24);
  return (
    <ConfirmDialog
      title={`Rotate ${apiKey.name}?`}
      label="Rotate"
      tone="primary"
      onClose={onClose}
      onConfirm={async () => {
        const { replaces, ...created } = await rotateKey(apiKey.id, hours);
        onRotated({ created, replaces });
      }}
    >
      <p>
        You get a new key with the same name. Replace <code>{apiKey.prefix}…</code> in your programs while both work.
      </p>
      <SelectField
        label="Keep the old key working"
        hint="If the old key has leaked, choose “No, stop it now”."
        value={hours}
        choices={overlaps}
        onValue={(value) => setHours(Number(value))}
      />
    </ConfirmDialog>
  );
}
