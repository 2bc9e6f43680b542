import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useTitle } from '../../shared/title.ts';

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
