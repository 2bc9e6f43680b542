import { useEffect, useState } from 'preact/hooks';
import { Button } from './button.tsx';

const shownMs = 2_000;

interface CopyButtonProps {
  readonly text: string;
  /** The name of the text, for screen readers: "Copy" comes before it. */
  readonly what: string;
}

/** Copies a text to the clipboard and confirms it. */
function CopyButton({ text, what }: CopyButtonProps) {
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready');
  useEffect(() => {
    if (state === 'ready') return;
    const timer = setTimeout(() => setState('ready'), shownMs);
    return () => clearTimeout(timer);
  }, [state]);
  const words = { ready: 'Copy', copied: 'Copied', failed: 'Copy failed' }[state];
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setState('copied'),
      () => setState('failed'),
    );
  return (
    <Button
      small
      tone="quiet"
      class="copy-button"
      aria-label={state === 'ready' ? `Copy ${what}` : words}
      onClick={copy}
    >
      <span aria-live="polite">{words}</span>
    </Button>
  );
}

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
