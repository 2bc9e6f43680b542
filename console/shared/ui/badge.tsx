import type { ComponentChildren } from 'preact';

interface BadgeProps {
  readonly tone?: 'neutral' | 'good' | 'warning' | 'bad' | 'accent';
  readonly children: ComponentChildren;
}

export function Badge({ tone = 'neutral', children }: BadgeProps) {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}
