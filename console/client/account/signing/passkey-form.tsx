import { NameForm } from '../name-form.tsx';
import { createPasskey } from './passkeys.ts';

interface PasskeyFormProps {
  readonly hint: string;
  readonly suggested?: string;
  readonly submit: string;
  /** The token of an invitation; without it, the passkey is for the account that is signed in. */
  readonly invitation?: string;
  readonly onCreated: (passkey: { readonly name: string; readonly response: object }) => Promise<void>;
  readonly onCancel?: () => void;
}

export function PasskeyForm({ invitation, onCreated, ...form }: PasskeyFormProps) {
  return (
    <NameForm
      {...form}
      missing="Enter a name, such as the device."
      maxLength={64}
      onSubmit={async (name) => onCreated({ name, response: await createPasskey(invitation) })}
    />
  );
}
