import { parseHighlight } from './highlight.ts';

/** Shows a fragment of the API with its matches marked. The fragment is never used as HTML. */
export function Marked({ fragment }: { readonly fragment: string }) {
  return <>{parseHighlight(fragment).map(({ text, marked }, at) => (marked ? <mark key={at}>{text}</mark> : text))}</>;
}
