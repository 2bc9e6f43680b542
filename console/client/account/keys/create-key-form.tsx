import { useId, useState } from 'preact/hooks';
import type { AccountKey, CreatedKey } from '../../../../src/account/answers.ts';
import { post } from '../../../shared/account-api.ts';
import { dayMs } from '../../../shared/durations.ts';
import { SelectField } from '../../../shared/ui/field.tsx';
import { NameForm } from '../name-form.tsx';

type Environment = AccountKey['environment'];

const environments = [
  ['live', 'Live', 'For production.'],
  ['test', 'Test', 'For development. Results and limits are the same; only the prefix differs.'],
] as const;

/** Days until a key expires. */
const lifetimes = [
  [0, 'Never'],
  [30, 'In 30 days'],
  [90, 'In 90 days'],
  [365, 'In 1 year'],
] as const;

/** The texts and the limit of a form for a key's name. */
export const keyNaming = {
  hint: 'For example, “website” or “nightly import”.',
  missing: 'Enter a name, such as the program that will use the key.',
  maxLength: 100,
};

interface CreateKeyFormProps {
  /** The name of the key unless another one is typed. */
  readonly suggested?: string;
  readonly onCreated: (key: CreatedKey) => void;
  readonly onCancel?: () => void;
}

export function CreateKeyForm({ suggested = '', onCreated, onCancel }: CreateKeyFormProps) {
  const id = useId();
  const [environment, setEnvironment] = useState<Environment>('live');
  const [days, setDays] = useState(0);
  const create = async (name: string) => {
    const expires_at = days === 0 ? null : new Date(Date.now() + days * dayMs).toISOString();
    onCreated(await post<CreatedKey>('keys', { name, environment, expires_at }));
  };
  return (
    <NameForm {...keyNaming} suggested={suggested} submit="Create key" onSubmit={create} onCancel={onCancel}>
      <fieldset class="choices">
        <legend>Environment</legend>
        {environments.map(([value, label, hint]) => (
          <label key={value} class="choice">
            <input type="radio" name={id} checked={environment === value} onChange={() => setEnvironment(value)} />
            <span>
              {label}
              <span class="field-hint">{hint}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <SelectField label="Expires" value={days} choices={lifetimes} onValue={(value) => setDays(Number(value))} />
    </NameForm>
  );
}
