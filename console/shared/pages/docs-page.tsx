import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { DocsField, DocsOperation, DocsPage } from '../../../src/pages/docs.ts';
import type { Site } from '../../../src/pages/page.ts';
import { exampleValues, requestOf, TryIt } from '../docs/try-it.tsx';
import { Snippets } from '../search/snippets.tsx';
import { Badge } from '../ui/chip.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { TextField } from '../ui/field.tsx';
import { Table, WithCode } from '../ui/table.tsx';

/** The API reference: operations by group, with a filter. */
export function DocsView({ site, page }: { readonly site: Site; readonly page: DocsPage }) {
  const [filter, setFilter] = useState('');
  const words = filter.toLowerCase().split(/\s+/);
  const groups = page.groups
    .map((group) => ({ ...group, operations: group.operations.filter((each) => matches(each, words)) }))
    .filter(({ operations }) => operations.length > 0);
  return (
    <div class="page docs-page">
      <div class="docs-side">
        <TextField label="Filter operations" type="search" value={filter} onValue={setFilter} />
        <nav aria-label="Operations">
          {groups.map(({ name, operations }) => (
            <div key={name}>
              <p class="eyebrow">{name}</p>
              <ul>
                {operations.map(({ id, summary }) => (
                  <li key={id}>
                    <a href={`#${id}`}>{summary}</a>
                  </li>
                ))}
              </ul>
            </div>
          ))}
          {groups.length === 0 && <p class="muted">No results</p>}
        </nav>
      </div>
      <div class="docs-main">
        <header class="docs-intro">
          <h1>API reference</h1>
          <Markdown text={page.description} />
          <p>
            For programs: <a href="/openapi.json">OpenAPI</a>, <a href="/llms.txt">llms.txt</a>
          </p>
        </header>
        {groups.map(({ name, description, operations }) => (
          <section key={name} class="docs-group" aria-labelledby={`group-${name}`}>
            <h2 id={`group-${name}`}>{name}</h2>
            <p class="muted">{inline(description)}</p>
            {operations.map((operation) => (
              <Operation key={operation.id} operation={operation} site={site} />
            ))}
          </section>
        ))}
      </div>
    </div>
  );
}

function matches({ path, summary, description, parameters }: DocsOperation, words: readonly string[]): boolean {
  const text = [path, summary, description, ...parameters.map(({ name }) => name)].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}

function Operation({ operation, site }: { readonly operation: DocsOperation; readonly site: Site }) {
  const { id, method, path, summary, description, needsKey, parameters, body, answer, errors } = operation;
  const [trying, setTrying] = useState(false);
  return (
    <article class="docs-operation" id={id} aria-labelledby={`${id}-title`}>
      <h3 id={`${id}-title`}>
        <a href={`#${id}`}>{summary}</a>
      </h3>
      <p class="docs-path">
        <Badge tone="accent">{method.toUpperCase()}</Badge> <code>{path}</code>
        {needsKey && <Badge>API key</Badge>}
      </p>
      <Markdown text={description} />
      <Snippets origin={site.origin} request={requestOf(operation, exampleValues(operation))} />
      {parameters.length > 0 && <Fields title="Parameters" of={summary} fields={parameters} />}
      {body !== null && body.fields.length > 0 && <Fields title="Body" of={summary} fields={body.fields} />}
      {answer.fields.length > 0 && <Fields title="Response" of={summary} fields={answer.fields} />}
      {answer.example !== null && (
        <details class="more">
          <summary>Example response</summary>
          <CodeBlock code={answer.example} what="example response" />
        </details>
      )}
      <details class="more">
        <summary>Errors</summary>
        <Table
          caption={`Errors: ${summary}`}
          rows={errors}
          rowKey={({ text }) => text}
          columns={[
            { head: 'Status', names: true, cell: ({ status }) => status },
            { head: 'Code and meaning', cell: ({ text }) => inline(text) },
          ]}
        />
      </details>
      <details class="more try-it" onToggle={(event) => setTrying(event.currentTarget.open)}>
        <summary>Try it</summary>
        {trying && <TryIt operation={operation} />}
      </details>
    </article>
  );
}

interface FieldsProps {
  readonly title: 'Parameters' | 'Body' | 'Response';
  /** The operation. */
  readonly of: string;
  readonly fields: readonly DocsField[];
}

function Fields({ title, of, fields }: FieldsProps) {
  return (
    <details class="more" open={title !== 'Response'}>
      <summary>{title}</summary>
      <Table
        caption={`${title}: ${of}`}
        rows={fields.map((field, at) => ({ ...field, at }))}
        rowKey={({ at }) => at}
        columns={[
          {
            head: 'Name',
            names: true,
            cell: ({ name, depth, required, type }) => (
              <div class={`docs-depth-${depth}`}>
                <WithCode code={type}>
                  <code>{name}</code> {required && title !== 'Response' && <Badge tone="warning">Required</Badge>}
                </WithCode>
              </div>
            ),
          },
          { head: 'Description', cell: ({ description }) => inline(description) },
        ]}
      />
    </details>
  );
}

/** Texts of the OpenAPI document: paragraphs, lists, `code` and **bold**. */
function Markdown({ text }: { readonly text: string }) {
  return (
    <>
      {text.split(/\n\n+/).map((block, at) =>
        block.startsWith('- ') ? (
          <ul key={at} class="docs-list">
            {block.split(/^- /m).map((item, index) => item.trim() !== '' && <li key={index}>{inline(item)}</li>)}
          </ul>
        ) : (
          <p key={at}>{inline(block)}</p>
        ),
      )}
    </>
  );
}

function inline(text: string): readonly ComponentChildren[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part, at) => {
    if (part.startsWith('`')) return <code key={at}>{part.slice(1, -1)}</code>;
    return part.startsWith('**') ? <strong key={at}>{part.slice(2, -2)}</strong> : part;
  });
}
