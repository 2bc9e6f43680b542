import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  readonly open: boolean;
  /** Asked for by Escape or the close button; the parent then says `open={false}`. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Buttons, the main one last. */
  readonly actions?: ComponentChildren;
}

/** The browser's own modal dialog: it keeps the focus within, and gives it back when it closes. */
export function Dialog({ title, open, onClose, children, actions }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element === null || element.open === open) return;
    if (open) element.showModal();
    else element.close();
  }, [open]);
  useEffect(() => {
    const element = dialog.current;
    // One that is taken out of the page while it is open would not give the focus back.
    return () => element?.close();
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
    >
      {open && (
        <>
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
        </>
      )}
    </dialog>
  );
}
