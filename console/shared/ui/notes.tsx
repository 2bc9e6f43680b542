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
  readonly tone?: 'neutral' | 'warning';
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

export function Spinner() {
  return (
    <span class="spinner-box" role="status">
      <span class="spinner" aria-hidden="true" />
      <span class="visually-hidden">Loading</span>
    </span>
  );
}

/** Placeholder lines for text that is loading. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: lines }, (_, at) => (
        <span key={at} />
      ))}
    </div>
  );
}

export function PageLoading() {
  return (
    <div class="page">
      <h1 class="visually-hidden">Loading</h1>
      <p class="without-scripts">This page needs JavaScript. Turn it on in your browser, then reload.</p>
      <Spinner />
      <Skeleton lines={6} />
    </div>
  );
}
