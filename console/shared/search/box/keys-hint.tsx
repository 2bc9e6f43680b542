import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { isSlashKeyOn, switchSlashKey } from './use-slash-key.ts';

/** Lists the keyboard shortcuts. Users of speech input may need to switch off the one that works everywhere. */
export function KeysHint() {
  const [on, setOn] = useState(true);
  useEffect(() => setOn(isSlashKeyOn()), []);
  return (
    <p class="keys small muted">
      {on && (
        <span>
          <kbd>/</kbd> search box
        </span>
      )}
      <span>
        <kbd>↑</kbd> <kbd>↓</kbd> suggestions, results
      </span>
      <Button
        small
        tone="quiet"
        onClick={() => {
          switchSlashKey(!on);
          setOn(!on);
        }}
      >
        {on ? 'Switch off /' : 'Switch on /'}
      </Button>
    </p>
  );
}
