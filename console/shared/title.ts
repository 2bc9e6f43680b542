import { useEffect } from 'preact/hooks';

/** Names the page in the tab and the history of the browser. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Entity Search`;
  }, [title]);
}
