import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { SessionState, SignedIn } from '../../../src/account/answers.ts';
import { ErrorNote, PageLoading } from '../../shared/ui/notes.tsx';

/** The properties of every lazily loaded page. */
export interface LazyPageProps {
  /** Such as `/account/keys`. */
  readonly path: string;
  /** With its question mark; empty without parameters. */
  readonly search: string;
}

interface LazyPageOf<Props> {
  readonly load: () => Promise<ComponentType<Props>>;
  readonly props: Props;
}

/** A page in a separate script, loaded when it is shown. */
export function LazyPage<Props extends LazyPageProps>({ load, props }: LazyPageOf<Props>) {
  const [found, setFound] = useState<{ readonly Page: ComponentType<Props> } | 'failed' | null>(null);
  useEffect(() => {
    load().then(
      (Page) => setFound({ Page }),
      () => setFound('failed'),
    );
  }, [load]);
  if (found === null) return <PageLoading />;
  if (found === 'failed') return <ErrorNote>This page could not be loaded. Check the connection and reload.</ErrorNote>;
  return <found.Page {...props} />;
}

/** The properties of a page that needs a session. */
export interface AccountPageProps extends LazyPageProps {
  readonly session: SignedIn;
}

/** The properties of a page that works without a session. */
export interface EntranceProps extends LazyPageProps {
  readonly session: SessionState;
}
