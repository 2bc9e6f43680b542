import { useId, useRef, useState } from 'preact/hooks';
import type { Security, SignedIn } from '../../../../src/account/answers.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Dialog } from '../../../shared/ui/dialog.tsx';
import { Field } from '../../../shared/ui/field.tsx';
import { ErrorNote } from '../../../shared/ui/notes.tsx';
import { addPasskey } from '../../api.ts';
import { passkeyNameMax, passkeyNameProblem } from '../signing/passkey-name.ts';
import { createPasskey } from '../signing/passkeys.ts';
import { useAction } from '../use-request.ts';
import { ProofDialog } from './proof-dialog.tsx';

interface AddPasskeyDialogProps {
  readonly session: SignedIn;
  readonly security: Security;
  readonly onClose: () => void;
  readonly onAdded: () => void;
}

/** A signature of a way in that the account has, then the new passkey and its name. */
export function AddPasskeyDialog({ session, security, onClose, onAdded }: AddPasskeyDialogProps) {
  const [proven, setProven] = useState(false);
  if (proven) return <NewPasskey onClose={onClose} onAdded={onAdded} />;
  return (
    <ProofDialog
      session={session}
      security={security}
      title="Add a passkey"
      onClose={onClose}
      onProven={async () => setProven(true)}
    >
      <p>Step 1 of 2. After this, your browser creates the passkey.</p>
    </ProofDialog>
  );
}

function NewPasskey({ onClose, onAdded }: Pick<AddPasskeyDialogProps, 'onClose' | 'onAdded'>) {
  const formId = useId();
  const input = useRef<HTMLInputElement>(null);
  const [name, setName] = useState('');
  const [problem, setProblem] = useState('');
  const { busy, error, run } = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    const given = name.trim();
    setProblem(passkeyNameProblem(given));
    if (given === '') {
      input.current?.focus();
      return;
    }
    void run(async () => {
      await addPasskey(given, await createPasskey());
      onAdded();
    });
  };
  return (
    <Dialog
      title="Add a passkey"
      open
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} tone="primary" busy={busy}>
            Create passkey
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} noValidate>
        <p>Step 2 of 2. Name it, then follow your browser.</p>
        {error !== null && <ErrorNote>{error}</ErrorNote>}
        <Field label="Name" hint="Such as “work laptop”." error={problem}>
          {(control) => (
            <input
              {...control}
              ref={input}
              type="text"
              maxLength={passkeyNameMax}
              autoComplete="off"
              required
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
