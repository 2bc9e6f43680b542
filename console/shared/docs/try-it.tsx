import { useState } from 'preact/hooks';
import type { DocsOperation } from '../../../src/pages/docs.ts';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { TextField } from '../ui/field.tsx';
import { ErrorNote } from '../ui/notes.tsx';
import { filledPath } from './requests.ts';

/** The key is shared by all operations, and forgotten with the page. */
let lastKey = '';

/** A form that sends a request to this origin and shows the answer. */
export function TryIt({ operation }: { readonly operation: DocsOperation }) {
  const { id, method, path, parameters, body, needsKey } = operation;
  const [key, setKey] = useState(lastKey);
  const [values, setValues] = useState(() =>
    Object.fromEntries(parameters.flatMap(({ name, example }) => (example === null ? [] : [[name, example]]))),
  );
  const [json, setJson] = useState(body?.example ?? '');
  const [answer, setAnswer] = useState<{ readonly status: string; readonly text: string } | 'busy' | null>(null);
  const send = async (event: Event) => {
    event.preventDefault();
    lastKey = key;
    setAnswer('busy');
    const given = parameters.filter(({ name }) => (values[name] ?? '') !== '');
    const inQuery = given.filter(({ where }) => where === 'query').map(({ name }) => [name, values[name] ?? '']);
    const headers = new Headers(
      given.filter(({ where }) => where === 'header').map(({ name }) => [name, values[name] ?? '']),
    );
    if (needsKey && key !== '') headers.set('Authorization', `Bearer ${key}`);
    if (body !== null) headers.set('Content-Type', 'application/json');
    const query = new URLSearchParams(inQuery).toString();
    const address = `${filledPath(path, values)}${query === '' ? '' : `?${query}`}`;
    try {
      const response = await fetch(address, { method, headers, ...(body === null ? {} : { body: json }) });
      const text = await response.text();
      setAnswer({ status: `${response.status} ${response.statusText}`.trim(), text: formatted(text) });
    } catch {
      setAnswer({ status: '', text: '' });
    }
  };
  return (
    <form class="docs-form" onSubmit={send}>
      {needsKey && <TextField label="API key" value={key} autoComplete="off" onValue={setKey} />}
      {parameters.map(({ name, required }) => (
        <TextField
          key={name}
          label={name}
          required={required}
          value={values[name] ?? ''}
          onValue={(value) => setValues({ ...values, [name]: value })}
        />
      ))}
      {body !== null && (
        <div class="field docs-body">
          <label for={`${id}-body`}>Body</label>
          <textarea id={`${id}-body`} rows={8} value={json} onInput={(event) => setJson(event.currentTarget.value)} />
        </div>
      )}
      <div class="form-actions">
        <Button type="submit" tone="primary" busy={answer === 'busy'}>
          Send request
        </Button>
      </div>
      {answer !== null && answer !== 'busy' && (
        <div class="docs-answer" role="status">
          {answer.status === '' ? (
            <ErrorNote>The server did not answer. Check your connection, then try again.</ErrorNote>
          ) : (
            <>
              <p>{answer.status}</p>
              <CodeBlock code={answer.text} what="answer" />
            </>
          )}
        </div>
      )}
    </form>
  );
}

function formatted(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
