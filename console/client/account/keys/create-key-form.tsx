import { useId, useRef, useState } from 'preact/hooks';
import type { AccountKey, CreatedKey } from '../../../../src/account/answers.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Field, SelectField, TextField } from '../../../shared/ui/field.tsx';
import { ErrorNote } from '../../../shared/ui/notes.tsx';
import { createKey } from '../../api.ts';
import { type ExpiryChoice, expiryOf, isExpiryChoice } from '../expiry.ts';
import { useAction } from '../use-request.ts';

type Environment = AccountKey['environment'];

const nameMax = 100;
const expiryWords: Readonly<Record<ExpiryChoice, string>> = {
  never: 'Never',
  '30': 'In 30 days',
  '90': 'In 90 days',
  '365': 'In a year',
  date: 'On a date',
};

interface CreateKeyFormProps {
  /** The name of the key unless another one is typed. */
  readonly suggestedName?: string;
  readonly onCreated: (key: CreatedKey) => void;
  /** Shows a Cancel button. */
  readonly onCancel?: () => void;
}

export function CreateKeyForm({ suggestedName = '', onCreated, onCancel }: CreateKeyFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [name, setName] = useState(suggestedName);
  const [environment, setEnvironment] = useState<Environment>('live');
  const [choice, setChoice] = useState<ExpiryChoice>('never');
  const [date, setDate] = useState('');
  const [problems, setProblems] = useState({ name: '', date: '' });
  const { busy, error, run } = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    const expiry = expiryOf(choice, date, Date.now());
    const found = {
      name: name.trim() === '' ? 'Name the key after the program that will use it.' : '',
      date: expiry.ok ? '' : expiry.error,
    };
    setProblems(found);
    if (found.name !== '' || !expiry.ok) {
      form.current?.querySelector<HTMLElement>(found.name === '' ? '[type=date]' : '[type=text]')?.focus();
      return;
    }
    void run(async () => onCreated(await createKey(name.trim(), environment, expiry.expiresAt)));
  };
  return (
    <form ref={form} class="create-key" onSubmit={submit} noValidate>
      {error !== null && <ErrorNote>{error}</ErrorNote>}
      <TextField
        label="Name"
        hint="Such as “website” or “nightly import”."
        error={problems.name}
        maxLength={nameMax}
        autoComplete="off"
        required
        value={name}
        onValue={setName}
      />
      <EnvironmentChoice value={environment} onChange={setEnvironment} />
      <SelectField
        label="Expires"
        value={choice}
        choices={Object.entries(expiryWords)}
        onValue={(value) => isExpiryChoice(value) && setChoice(value)}
      />
      {choice === 'date' && (
        <Field label="Last day" error={problems.date}>
          {(control) => (
            <input {...control} type="date" value={date} onInput={(event) => setDate(event.currentTarget.value)} />
          )}
        </Field>
      )}
      <div class="form-actions">
        {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
        <Button type="submit" tone="primary" busy={busy}>
          Create key
        </Button>
      </div>
    </form>
  );
}

interface EnvironmentChoiceProps {
  readonly value: Environment;
  readonly onChange: (value: Environment) => void;
}

function EnvironmentChoice({ value, onChange }: EnvironmentChoiceProps) {
  const name = useId();
  const choices = [
    ['live', 'Live', 'For production.'],
    ['test', 'Test', 'For development. Results and limits are the same; only the prefix differs.'],
  ] as const;
  return (
    <fieldset class="choices">
      <legend>Environment</legend>
      {choices.map(([environment, label, hint]) => (
        <label key={environment} class="choice">
          <input type="radio" name={name} checked={value === environment} onChange={() => onChange(environment)} />
          <span>
            {label}
            <span class="field-hint">{hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
