import type { ComponentChildren } from 'preact';
import { Badge } from '../../../shared/ui/chip.tsx';

export function ActiveBadge({ active }: { readonly active: boolean }) {
  return <Badge tone={active ? 'good' : 'bad'}>{active ? 'Active' : 'Suspended'}</Badge>;
}

/** Shows the equivalent command of the CLI. */
export function CommandLine({ children }: { readonly children: ComponentChildren }) {
  return (
    <p class="command-line">
      CLI: <code>{children}</code>
    </p>
  );
}
