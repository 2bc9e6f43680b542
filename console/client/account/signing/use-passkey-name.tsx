import type { ComponentChild } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { TextField } from '../../../shared/ui/field.tsx';

/** The server's limit. */
const nameMax = 64;

interface PasskeyName {
  readonly field: ComponentChild;
  /** Returns the name. If it is empty, shows an error, focuses the field and returns null. */
  readonly take: () => string | null;
}

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
