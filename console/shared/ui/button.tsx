import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';

type Tone = 'primary' | 'secondary' | 'quiet' | 'danger';

interface Look {
  readonly tone?: Tone | undefined;
  readonly small?: boolean | undefined;
}

type ButtonProps = Look &
  ButtonHTMLAttributes<HTMLButtonElement> & {
    /** Shows a spinner and ignores further presses. */
    readonly busy?: boolean;
    readonly children?: ComponentChildren;
  };

/** A button, of type `button` by default. */
export function Button({ tone = 'secondary', small = false, busy = false, children, ...rest }: ButtonProps) {
  const given = busy ? { 'aria-busy': true, 'aria-disabled': true, onClick: undefined } : {};
  return (
    <button type="button" {...rest} {...given} class={buttonClass({ tone, small }, rest.class)}>
      {busy && <span class="spinner" aria-hidden="true" />}
      {children}
    </button>
  );
}

interface ButtonLinkProps extends Look {
  readonly href: string;
  readonly children: ComponentChildren;
}

export function ButtonLink({ href, tone, small, children }: ButtonLinkProps) {
  return (
    <a href={href} class={buttonClass({ tone, small })}>
      {children}
    </a>
  );
}

function buttonClass({ tone = 'secondary', small = false }: Look, more?: unknown): string {
  return ['button', `button-${tone}`, small ? 'button-small' : '', typeof more === 'string' ? more : '']
    .filter((name) => name !== '')
    .join(' ');
}
