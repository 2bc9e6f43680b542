import { Badge } from '../../../shared/ui/chip.tsx';
import { CodeBlock } from '../../../shared/ui/code-block.tsx';

export function ActiveBadge({ active }: { readonly active: boolean }) {
  return <Badge tone={active ? 'good' : 'bad'}>{active ? 'Active' : 'Suspended'}</Badge>;
}

/** The commands of the CLI that show and change the same, folded. */
export function Commands({ lines }: { readonly lines: readonly string[] }) {
  return (
    <details class="more">
      <summary>Do this from the command line</summary>
      <CodeBlock code={lines.map((line) => `entity-search ${line}`).join('\n')} what="commands" />
    </details>
  );
}
