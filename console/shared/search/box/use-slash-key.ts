import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/** Where this browser keeps that the key is switched off. */
const storageKey = 'entity-search slash key';

/** Lets the key `/` lead to a text field from wherever nothing is typed, unless it is switched off. */
export function useSlashKey(input: RefObject<HTMLInputElement | null>): void {
  // Before anything is painted, as whoever sees the box may press the key at once.
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

export function isSlashKeyOn(): boolean {
  return storage()?.getItem(storageKey) !== 'off';
}

export function switchSlashKey(on: boolean): void {
  storage()?.setItem(storageKey, on ? 'on' : 'off');
}

/** Null where the browser is told to keep nothing. */
function storage(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}
