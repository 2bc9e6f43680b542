import type { ComponentChildren } from 'preact';
import { formatNumber } from '../format.ts';

interface ChipProps {
  readonly pressed: boolean;
  readonly onPress: () => void;
  readonly count?: number;
  readonly children: ComponentChildren;
}

/** A toggle, such as a value of a filter. */
export function Chip({ pressed, onPress, count, children }: ChipProps) {
  return (
    <button type="button" class="chip" aria-pressed={pressed} onClick={onPress}>
      <span class="chip-text">{children}</span>
      {count !== undefined && <span class="chip-count">{formatNumber(count)}</span>}
    </button>
  );
}

interface RemovableChipProps {
  readonly onRemove: () => void;
  /** Shown after the text. */
  readonly note: string | null;
  readonly children: ComponentChildren;
}

export function RemovableChip({ onRemove, note, children }: RemovableChipProps) {
  return (
    <button type="button" class="chip chip-removable" onClick={onRemove}>
      <span class="visually-hidden">Remove </span>
      <span class="chip-text">{children}</span>
      {note !== null && <span class="chip-count">{note}</span>}
    </button>
  );
}

export function ChipLink({ href, children }: { readonly href: string; readonly children: ComponentChildren }) {
  return (
    <a class="chip" href={href}>
      <span class="chip-text">{children}</span>
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
