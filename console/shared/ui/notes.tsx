import type { ComponentChildren } from 'preact';

/** Something went wrong; the text says what to do. */
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

/** Something to know about what stands below. */
export function Note({ tone = 'neutral', children }: NoteProps) {
  return <div class={`note note-${tone}`}>{children}</div>;
}

interface EmptyStateProps {
  readonly title: ComponentChildren;
  readonly children?: ComponentChildren;
  readonly action?: ComponentChildren;
}

/** There is nothing to show; the text says why, and what could be done. */
export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children !== undefined && <div class="empty-text">{children}</div>}
      {action}
    </div>
  );
}
