import type { ComponentChildren } from 'preact';

/** An error message with the next step. */
export function ErrorNote({
  children,
  action,
}: {
  readonly children: ComponentChildren;
  readonly action?: ComponentChildren;
}) {
  return (
    <div class="note note-bad" role="alert">
      <div>{children}</div>
      {action}
    </div>
  );
}

interface NoteProps {
  readonly tone?: 'neutral' | 'good' | 'warning';
  readonly children: ComponentChildren;
}

export function Note({ tone = 'neutral', children }: NoteProps) {
  return <div class={`note note-${tone}`}>{children}</div>;
}

interface EmptyStateProps {
  readonly title: ComponentChildren;
  readonly children?: ComponentChildren;
  readonly action?: ComponentChildren;
}

/** Shown in place of an empty list: the reason and the next step. */
export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children !== undefined && <div class="empty-text">{children}</div>}
      {action}
    </div>
  );
}
