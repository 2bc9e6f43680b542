import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Button } from '../../shared/ui/button.tsx';
import { TextField } from '../../shared/ui/field.tsx';
import { ErrorNote } from '../../shared/ui/notes.tsx';
import { useAction } from './use-request.ts';

interface NameFormProps {
  readonly label?: string;
  readonly hint: string;
  /** The error of an empty name. */
  readonly missing: string;
  readonly suggested?: string;
  /** The server's limit. */
  readonly maxLength: number;
  /** The label of the button. */
  readonly submit: string;
  readonly onSubmit: (name: string) => Promise<void>;
  /** Shows a Cancel button. */
  readonly onCancel?: (() => void) | undefined;
  /** Fields after the name. */
  readonly children?: ComponentChildren;
}

/** A form that creates something with a name. If the name is empty, shows an error and focuses the field. */
export function NameForm({ submit, missing, suggested = '', onSubmit, onCancel, children, ...field }: NameFormProps) {
  const input = useRef<HTMLInputElement>(null);
  const [name, setName] = useState(suggested);
  const [problem, setProblem] = useState('');
  const { busy, error, run } = useAction();
  const trySubmit = (event: Event) => {
    event.preventDefault();
    const given = name.trim();
    setProblem(given === '' ? missing : '');
    if (given === '') input.current?.focus();
    else void run(() => onSubmit(given));
  };
  return (
    <form class="name-form" onSubmit={trySubmit} noValidate>
      {error !== null && <ErrorNote>{error}</ErrorNote>}
      <TextField
        label="Name"
        {...field}
        error={problem}
        inputRef={input}
        autoComplete="off"
        required
        value={name}
        onValue={setName}
      />
      {children}
      <div class="form-actions">
        {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
        <Button type="submit" tone="primary" busy={busy}>
          {submit}
        </Button>
      </div>
    </form>
  );
}
