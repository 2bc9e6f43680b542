import { CopyButton } from './copy-button.tsx';

interface CodeBlockProps {
  readonly code: string;
  /** The name of the code, as in "Copy curl command". */
  readonly what: string;
}

/** A block of code with a copy button. Wide code can be scrolled by keyboard. */
export function CodeBlock({ code, what }: CodeBlockProps) {
  return (
    <div class="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable by keyboard. */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} what={what} />
    </div>
  );
}
