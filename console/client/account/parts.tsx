import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { formatDate, formatRelative, formatTime } from '../../shared/format.ts';
import { useTitle } from '../../shared/navigation.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Dialog } from '../../shared/ui/dialog.tsx';
import { ErrorNote, Skeleton, Spinner } from '../../shared/ui/notes.tsx';
import { type Loaded, type More, useAction } from './use-request.ts';

/** Times within a week are shown relative to now. */
const nearSeconds = 7 * 86_400;

/** A time in the reader's zone, such as "5 minutes ago" or a date, with the exact time as a tooltip. */
export function Time({ at, exact = false }: { readonly at: string; readonly exact?: boolean }) {
  const seconds = (Date.parse(at) - Date.now()) / 1_000;
  const isNear = Math.abs(seconds) < nearSeconds;
  return (
    <time dateTime={at} title={formatTime(at)}>
      {exact ? formatTime(at) : isNear ? formatRelative(seconds) : formatDate(at)}
    </time>
  );
}

export function TimeOr({ at, none }: { readonly at: string | null; readonly none: string }) {
  return at === null ? <span class="muted">{none}</span> : <Time at={at} />;
}

/** The columns of a table with the times of its rows. */
export const lastUsed = {
  head: 'Last used',
  cell: ({ last_used_at }: { readonly last_used_at: string | null }) => <TimeOr at={last_used_at} none="Never" />,
};

export function createdColumn(head: string) {
  return { head, cell: ({ created_at }: { readonly created_at: string }) => <Time at={created_at} /> };
}

interface SectionProps {
  readonly title: string;
  /** Shown next to the heading. */
  readonly action?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Section({ title, action, children }: SectionProps) {
  return (
    <div class="account-section">
      <div class="account-section-head">
        <h2>{title}</h2>
        {action}
      </div>
      {children}
    </div>
  );
}

interface LoadedPartProps<Data> {
  readonly loaded: Loaded<Data>;
  readonly lines?: number;
  readonly children: (data: Data) => ComponentChildren;
}

/** Shows the loaded data, a placeholder while it is loading, or the error with a button to try again. */
export function LoadedPart<Data>({ loaded, lines = 4, children }: LoadedPartProps<Data>) {
  const { data, error, loading, reload } = loaded;
  useFocusKept(data);
  return (
    <>
      {error !== null && (
        <ErrorNote
          action={
            <Button small busy={loading} onClick={reload}>
              Try again
            </Button>
          }
        >
          {error}
        </ErrorNote>
      )}
      {data !== null && children(data)}
      {data === null && error === null && (
        <>
          <Spinner />
          <Skeleton lines={lines} />
        </>
      )}
    </>
  );
}

/** Focuses the heading when the focused button was removed with its row; otherwise the focus would be lost. */
function useFocusKept(data: unknown): void {
  const before = useRef(data);
  useEffect(() => {
    const isFirst = before.current === null;
    before.current = data;
    if (isFirst || document.activeElement !== document.body) return;
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
  }, [data]);
}

interface ConfirmProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** The label of the button, such as "Revoke". */
  readonly label: string;
  readonly tone?: 'primary' | 'danger';
  readonly onClose: () => void;
  /** Performs the action; the dialog closes when it resolves. */
  readonly onConfirm: () => Promise<void>;
}

export function ConfirmDialog({ title, children, label, tone = 'danger', onClose, onConfirm }: ConfirmProps) {
  const { busy, error, run } = useAction();
  const confirm = async () => {
    if (await run(onConfirm)) onClose();
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone={tone} busy={busy} onClick={confirm}>
            {label}
          </Button>
        </>
      }
    >
      {children}
      {error !== null && <ErrorNote>{error}</ErrorNote>}
    </Dialog>
  );
}

export function LoadedList<Row>({
  more,
  children,
}: {
  readonly more: More<Row>;
  readonly children: (rows: readonly Row[]) => ComponentChildren;
}) {
  return (
    <LoadedPart loaded={more.first} lines={6}>
      {() => (
        <>
          {children(more.rows)}
          {more.error !== null && <ErrorNote>{more.error}</ErrorNote>}
          {more.load !== null && (
            <div class="load-more">
              <Button busy={more.busy} onClick={more.load}>
                Load more
              </Button>
            </div>
          )}
        </>
      )}
    </LoadedPart>
  );
}

export function Fact({ term, children }: { readonly term: ComponentChildren; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const listeners = new Set<(text: string) => void>();

/** Announces a change to users of screen readers. */
export function announce(text: string): void {
  for (const listener of listeners) listener(text);
}

export function useAnnouncement(): string {
  const [text, setText] = useState('');
  useEffect(() => {
    listeners.add(setText);
    return () => void listeners.delete(setText);
  }, []);
  return text;
}

let shownBefore = false;

interface PageHeadingProps {
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly action?: ComponentChildren;
}

/** The heading of a page, which also names the tab. It takes the focus, except on the first page. */
export function PageHeading({ title, children, action }: PageHeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useTitle(title);
  useEffect(() => {
    if (shownBefore) heading.current?.focus({ preventScroll: true });
    shownBefore = true;
  }, [title]);
  return (
    <header class="account-head">
      <div>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {children !== undefined && <p class="account-lead">{children}</p>}
      </div>
      {action}
    </header>
  );
}
