import type { ComponentChild } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { TextField } from '../../../shared/ui/field.tsx';

/** As much as the server takes. */
const nameMax = 64;

interface PasskeyName {
  /** The field in which it is typed. */
  readonly field: ComponentChild;
  /** Returns the name. If it is empty, shows an error, focuses the field and returns null. */
  readonly take: () => string | null;
}

/** A name for a new passkey. */
export function usePasskeyName(label: string, hint: string, suggested = ''): PasskeyName {
  const input = useRef<HTMLInputElement>(null);
  const [name, setName] = useState(suggested);
  const [problem, setProblem] = useState('');
  return {
    field: (
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
    ),
    take() {
      const given = name.trim();
      setProblem(given === '' ? 'Give the passkey a name, such as the device it is on.' : '');
      if (given !== '') return given;
      input.current?.focus();
      return null;
    },
  };
}
