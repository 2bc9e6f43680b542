import { parseHighlight } from './highlight.ts';

/** A fragment of the API as text with its matches marked. Nothing of it is taken for HTML. */
export function Marked({ fragment }: { readonly fragment: string }) {
  return <>{parseHighlight(fragment).map(({ text, marked }, at) => (marked ? <mark key={at}>{text}</mark> : text))}</>;
}
