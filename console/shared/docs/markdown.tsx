import type { ComponentChildren } from 'preact';

/** Texts of the OpenAPI document: paragraphs, lists, `code` and **bold**. */
export function Markdown({ text }: { readonly text: string }) {
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

export function inline(text: string): readonly ComponentChildren[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part, at) => {
    if (part.startsWith('`')) return <code key={at}>{part.slice(1, -1)}</code>;
    return part.startsWith('**') ? <strong key={at}>{part.slice(2, -2)}</strong> : part;
  });
}
