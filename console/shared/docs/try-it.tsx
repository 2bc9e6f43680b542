import { useState } from 'preact/hooks';
import type { DocsOperation } from '../../../src/pages/docs.ts';
import type { SnippetRequest } from '../search/code.ts';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { TextField } from '../ui/field.tsx';

type Values = Readonly<Record<string, string>>;

export function exampleValues({ parameters, body }: DocsOperation): Values {
  const examples = parameters.map(({ name, example }) => [name, example ?? '']);
  return { ...Object.fromEntries(examples), body: body?.example ?? '' };
}

/** Returns the request of an operation, without empty parameters and without headers. */
export function requestOf({ method, path, parameters, body, needsKey }: DocsOperation, values: Values): SnippetRequest {
  const given = parameters.filter(({ name, where }) => where === 'query' && values[name]);
  return {
    method,
    path: path.replace(/\{(\w+)\}/g, (whole, name: string) => encodeURIComponent(values[name] || whole)),
    params: new URLSearchParams(given.map(({ name }) => [name, values[name] ?? ''])),
    needsKey,
    body: body === null ? null : (values.body ?? ''),
  };
}

/** A form that sends a request to this origin and shows the answer. */
export function TryIt({ operation }: { readonly operation: DocsOperation }) {
  const { parameters, body, needsKey } = operation;
  const [values, setValues] = useState(exampleValues(operation));
  const [answer, setAnswer] = useState('');
  const send = async (event: Event) => {
    event.preventDefault();
    setAnswer(await answerTo(requestOf(operation, values), values.key).catch(() => 'The server did not answer.'));
  };
  const names = parameters.filter(({ where }) => where !== 'header').map(({ name }) => name);
  return (
    <form class="docs-form" onSubmit={send}>
      {[...(needsKey ? ['key'] : []), ...names, ...(body === null ? [] : ['body'])].map((name) => (
        <TextField
          key={name}
          label={{ key: 'API key', body: 'Body' }[name] ?? name}
          autoComplete="off"
          value={values[name] ?? ''}
          onValue={(value) => setValues({ ...values, [name]: value })}
        />
      ))}
      <Button type="submit" tone="primary">
        Send request
      </Button>
      <div class="docs-answer" role="status">
        {answer !== '' && <CodeBlock code={answer} what="response" />}
      </div>
    </form>
  );
}

async function answerTo({ method = 'get', path, params, body }: SnippetRequest, key = ''): Promise<string> {
  const headers = {
    ...(key !== '' && { Authorization: `Bearer ${key}` }),
    ...(body && { 'Content-Type': 'application/json' }),
  };
  const response = await fetch(`${path}?${params}`, { method: method.toUpperCase(), headers, ...(body && { body }) });
  const isJson = response.headers.get('Content-Type')?.includes('json');
  const text = isJson ? JSON.stringify(await response.json(), null, 2) : await response.text();
  return `${response.status} ${response.statusText}\n\n${text}`;
}
