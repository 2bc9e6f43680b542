import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { CodeBlock } from '../ui/code-block.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { type SnippetLanguage, type SnippetRequest, snippet, snippetLabels, snippetLanguages } from './code.ts';

interface SnippetsProps {
  readonly origin: string;
  readonly request: SnippetRequest;
}

/** A request as curl, TypeScript and Python, with a copy button. */
export function Snippets({ origin, request }: SnippetsProps) {
  const [language, setLanguage] = useState<SnippetLanguage>('curl');
  return (
    <Tabs
      small
      label="Language"
      tabs={snippetLanguages.map((name) => ({ name, label: snippetLabels[name] }))}
      selected={language}
      onSelect={setLanguage}
    >
      <CodeBlock code={snippet(language, origin, request)} what={`${snippetLabels[language]} code`} />
    </Tabs>
  );
}

/** The request behind a page as code, folded. */
export function ApiRequest({ children, ...snippets }: SnippetsProps & { readonly children: ComponentChildren }) {
  return (
    <details class="api-request">
      <summary>API request</summary>
      <div>
        <Snippets {...snippets} />
        {children}
      </div>
    </details>
  );
}
