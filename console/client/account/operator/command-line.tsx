import type { ComponentChildren } from 'preact';

/** The same on a command line. */
export function CommandLine({ children }: { readonly children: ComponentChildren }) {
  return (
    <p class="command-line">
      On a command line: <code>{children}</code>
    </p>
  );
}
