import type { ComponentChild } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { TextField } from '../../../shared/ui/field.tsx';
import { ErrorNote } from '../../../shared/ui/notes.tsx';
import { useAction } from '../use-request.ts';
import { createPasskey } from './passkeys.ts';

/** The server's limit. */
const nameMax = 64;

interface PasskeyForm {
  /** The error of the creation, and the field for the name. */
  readonly content: ComponentChild;
  readonly busy: boolean;
  /** Creates a passkey of the typed name. If it is empty, shows an error and focuses the field. */
  readonly onSubmit: (event: Event) => void;
}

interface PasskeyFormOptions {
  readonly label: string;
  readonly hint: string;
  readonly suggested?: string;
  /** The token of an invitation; without it, the passkey is for the account that is signed in. */
  readonly invitation?: string;
  readonly onCreated: (name: string, response: object) => Promise<void>;
}

export function usePasskeyForm({
  label,
  hint,
  suggested = '',
  invitation,
  onCreated,
}: PasskeyFormOptions): PasskeyForm {
  const input = useRef<HTMLInputElement>(null);
  const [name, setName] = useState(suggested);
  const [problem, setProblem] = useState('');
  const { busy, error, run } = useAction();
  return {
    busy,
    content: (
      <>
        {error !== null && <ErrorNote>{error}</ErrorNote>}
        <TextField
          label={label}
          hint={hint}
          error={problem}
          inputRef={input}
          maxLength={nameMax}
          autoComplete="off"
          required
          value={name}
          onValue={setName}
        />
      </>
    ),
    onSubmit(event) {
      event.preventDefault();
      const given = name.trim();
      setProblem(given === '' ? 'Give the passkey a name, such as the device it is on.' : '');
      if (given === '') input.current?.focus();
      else void run(async () => onCreated(given, await createPasskey(invitation)));
    },
  };
}
