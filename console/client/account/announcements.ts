import { useEffect, useState } from 'preact/hooks';

let listeners: readonly ((text: string) => void)[] = [];

/** Announces a change to users of screen readers. */
export function announce(text: string): void {
  for (const listener of listeners) listener(text);
}

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
