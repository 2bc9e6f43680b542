import type { KindName } from '../../src/kinds/kind.ts';
import { initials } from './record.ts';

interface MonogramProps {
  readonly kind: KindName;
  readonly name: string;
  readonly size?: 'small' | 'medium' | 'large';
}

/** An entity's initials in its kind's colour. Pictures would need requests to other hosts. */
export function Monogram({ kind, name, size = 'medium' }: MonogramProps) {
  return (
    <span class={`monogram monogram-${size} kind-${kind}`} aria-hidden="true">
      {initials(name)}
    </span>
  );
}
