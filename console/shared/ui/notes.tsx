import type { ComponentChildren } from 'preact';
import { ButtonLink } from './button.tsx';

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
      <h1 class="visually-hidden with-scripts">Loading</h1>
      <div class="entrance without-scripts">
        <h1>Turn on JavaScript for your account</h1>
        <p class="lead">
          You sign in with a wallet or a passkey, and pages can reach these only with JavaScript. Turn it on for this
          site, then reload.
        </p>
        <p class="muted">Search, the pages of entities and the API reference work without it.</p>
        <div class="chips">
          <ButtonLink href="" tone="primary">
            Reload
          </ButtonLink>
          <ButtonLink href="/search">Search</ButtonLink>
          <ButtonLink href="/docs">API reference</ButtonLink>
        </div>
      </div>
      <Spinner />
      <Skeleton lines={6} />
    </div>
  );
}
