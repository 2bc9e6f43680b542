import type { SessionState, SignedIn } from '../../../src/account/answers.ts';
import type { LazyPageProps } from '../lib/lazy-page.tsx';

/** The properties of a page that needs a session. */
export interface AccountPageProps extends LazyPageProps {
  readonly session: SignedIn;
}

/** The properties of a page that works without a session. */
export interface EntranceProps extends LazyPageProps {
  readonly session: SessionState;
}
