import type { ComponentChildren } from 'preact';
import { formatNumber } from '../format.ts';

interface ChipLinkProps {
  /** Null for a link that can't be followed yet. */
  readonly href: string | null;
  /** A number or a short text after the text. */
  readonly note?: number | string | null | undefined;
  /** True if the chip is a condition of the search, which the link removes. */
  readonly removes?: boolean;
  /** `chosen` by the reader, or `unmet` by the results. */
  readonly look?: 'chosen' | 'unmet' | 'plain';
  readonly children: ComponentChildren;
}

/** A link in the form of a chip, such as a value of a filter. */
export function ChipLink({ href, note = null, removes = false, look = 'plain', children }: ChipLinkProps) {
  return (
    <a
      class={`chip chip-${look} ${removes ? 'chip-removable' : ''}`}
      {...(href === null ? { role: 'link', 'aria-disabled': true } : { href })}
    >
      {removes && <span class="visually-hidden">Remove </span>}
      <span class="chip-text">{children}</span>
      {note !== null && <span class="chip-count"> {typeof note === 'number' ? formatNumber(note) : note}</span>}
    </a>
  );
}

export type BadgeTone = 'neutral' | 'good' | 'warning' | 'bad' | 'accent';

interface BadgeProps {
  readonly tone?: BadgeTone;
  readonly children: ComponentChildren;
}

export function Badge({ tone = 'neutral', children }: BadgeProps) {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}
