import { useEffect } from 'preact/hooks';

/** Sets the title of the page in the tab and in the history. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Entity Search`;
  }, [title]);
}
