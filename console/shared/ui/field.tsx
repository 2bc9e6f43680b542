import type { ComponentChildren, RefObject } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: ComponentChildren;
  readonly hint?: ComponentChildren;
  /** The error of the value, with its correction. */
  readonly error?: ComponentChildren;
  /** Renders the control with the attributes that connect it to its label and texts. */
  readonly children: (control: {
    readonly id: string;
    readonly 'aria-describedby': string | undefined;
    readonly 'aria-invalid': boolean | undefined;
  }) => ComponentChildren;
}

export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  const errorId = `${id}-error`;
  const described = [hint === undefined ? '' : hintId, error ? errorId : ''].filter((part) => part !== '').join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': error ? true : undefined })}
      {hint !== undefined && (
        <p class="field-hint" id={hintId}>
          {hint}
        </p>
      )}
      {error && (
        <p class="field-error" id={errorId} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

interface TextFieldProps extends Omit<FieldProps, 'children'> {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly type?: 'text' | 'search';
  readonly maxLength?: number;
  readonly required?: boolean;
  readonly autoComplete?: 'off';
  readonly inputRef?: RefObject<HTMLInputElement | null> | null;
}

export function TextField({ label, hint, error, onValue, type = 'text', inputRef = null, ...input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <input
          {...input}
          {...control}
          type={type}
          list={undefined}
          ref={inputRef}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface SelectFieldProps extends Omit<FieldProps, 'children'> {
  readonly value: string | number;
  readonly choices: readonly (readonly [value: string | number, label: string])[];
  readonly onValue: (value: string) => void;
}

export function SelectField({ label, hint, error, value, choices, onValue }: SelectFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <select {...control} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
          {choices.map(([choice, text]) => (
            <option key={choice} value={choice}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
