import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  /** Called for Escape and for the close button; the parent then removes the dialog. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Buttons, the main one last. */
  readonly actions?: ComponentChildren;
}

let lastOpener: Element | null = null;

/** The browser's modal dialog: it traps the focus and returns it on close. */
export function Dialog({ title, onClose, children, actions }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element === null || element.open) return;
    // A dialog that follows another one was opened by the same button.
    if (document.activeElement !== document.body) lastOpener = document.activeElement;
    const opener = lastOpener;
    element.showModal();
    element.querySelector<HTMLElement>('.dialog-body :is(input, select, textarea)')?.focus();
    return () => returnFocus(opener);
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // Browsers that were kept open once close it the second time, without asking.
      onClose={() => dialog.current !== null && onClose()}
    >
      <header class="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d="M3 3l10 10M13 3L3 13" />
          </svg>
        </button>
      </header>
      <div class="dialog-body">{children}</div>
      {actions !== undefined && <footer class="dialog-actions">{actions}</footer>}
    </dialog>
  );
}

/**
 * Returns the focus to the element that opened the dialog. Browsers do this only for a closed dialog, not for a removed
 * one.
 */
function returnFocus(opener: Element | null): void {
  requestAnimationFrame(() => {
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if (isLost && opener instanceof HTMLElement) opener.focus();
  });
}
