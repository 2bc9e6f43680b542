import { type PageState, pageStateId } from '../../../src/pages/page.ts';

/** Returns the state that the server wrote into the document; null if there is none. */
export function readPageState(): PageState | null {
  const text = document.getElementById(pageStateId)?.textContent;
  if (!text) return null;
  // Written by the server of the same build into the document itself.
  return JSON.parse(text) as PageState;
}
