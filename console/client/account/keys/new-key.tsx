import { useEffect, useId, useRef } from 'preact/hooks';
import type { AccountKey, CreatedKey } from '../../../../src/account/answers.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { CodeBlock } from '../../../shared/ui/code-block.tsx';
import { Time } from '../parts.tsx';

interface NewKeyProps {
  readonly created: CreatedKey;
  readonly replaces?: AccountKey;
  readonly onDone: () => void;
}

/** Shows a new key once. It is not in a dialog, so that a stray Escape does not lose it. */
export function NewKey({ created, replaces, onDone }: NewKeyProps) {
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // After the dialog has given the focus back to the button that opened it.
    const frame = requestAnimationFrame(() => heading.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <section class="new-key" aria-labelledby={id}>
      <h2 id={id} ref={heading} tabIndex={-1}>
        Copy your new key now
      </h2>
      <p>
        The key <strong>{created.name}</strong> is shown only once. We store only its hash.
      </p>
      <CodeBlock code={created.key} what="key" />
      {replaces !== undefined && (
        <p>
          The old key <code>{replaces.prefix}…</code>{' '}
          {replaces.state === 'live' && replaces.expires_at !== null ? (
            <>
              works until <Time at={replaces.expires_at} exact />.
            </>
          ) : (
            'has stopped working.'
          )}
        </p>
      )}
      <p>Try it in a terminal:</p>
      <CodeBlock code={curlLine(created.key)} what="curl command" />
      <p class="muted">
        Keep it on servers, out of web pages, apps and repositories. If it leaks, rotate it or revoke it here at once:
        calls that others make with it count as yours. Secret scanners know it by its prefix{' '}
        <code>es_{created.environment}_</code>.
      </p>
      <div class="new-key-done">
        <Button onClick={onDone}>Done</Button>
      </div>
    </section>
  );
}

function curlLine(key: string): string {
  return `curl -s -H 'Authorization: Bearer ${key}' \\\n  '${location.origin}/api/v1/search?type=companies&query=exchange&limit=3'`;
}
