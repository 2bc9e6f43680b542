import { useEffect, useState } from 'preact/hooks';

let listeners: readonly ((text: string) => void)[] = [];

/** Says what was done to whoever can't see that a row is gone or has come. */
export function announce(text: string): void {
  for (const listener of listeners) listener(text);
}

/** What was said last. */
export function useAnnouncement(): string {
  const [text, setText] = useState('');
  useEffect(() => {
    listeners = [...listeners, setText];
    return () => {
      listeners = listeners.filter((listener) => listener !== setText);
    };
  }, []);
  return text;
}
