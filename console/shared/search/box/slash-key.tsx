import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';

/** The key in localStorage under which a switched-off shortcut is saved. */
const storageKey = 'entity-search slash key';

/** Makes the key `/` focus a text field, unless the user is typing or has switched the shortcut off. */
export function useSlashKey(input: RefObject<HTMLInputElement | null>): void {
  // A layout effect: the shortcut must work as soon as the box is visible.
  useLayoutEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || !isSlashKeyOn()) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    }
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [input]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
}

function isSlashKeyOn(): boolean {
  return storage()?.getItem(storageKey) !== 'off';
}

function switchSlashKey(on: boolean): void {
  storage()?.setItem(storageKey, on ? 'on' : 'off');
}

/** Returns null where the browser blocks storage. */
function storage(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}

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
