import { useEffect, useState } from 'preact/hooks';

const listeners = new Set<(text: string) => void>();

/** Announces a change to users of screen readers. */
export function announce(text: string): void {
  for (const listener of listeners) listener(text);
}

export function useAnnouncement(): string {
  const [text, setText] = useState('');
  useEffect(() => {
    listeners.add(setText);
    return () => void listeners.delete(setText);
  }, []);
  return text;
}
