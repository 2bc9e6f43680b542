import type { PageState } from '../../../src/pages/page.ts';
import { pageStateId } from '../../shared/page-state.ts';

/** What the server said of this page; null where the document is none of ours. */
export function readPageState(): PageState | null {
  const text = document.getElementById(pageStateId)?.textContent;
  if (!text) return null;
  // Written by the server of the same build into the document itself.
  return JSON.parse(text) as PageState;
}
