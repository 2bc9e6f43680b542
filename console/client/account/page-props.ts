import type { SessionState, SignedIn } from '../../../src/account/answers.ts';
import type { LazyPageProps } from '../lib/lazy-page.tsx';

/** What a page for whoever is signed in gets. */
export interface AccountPageProps extends LazyPageProps {
  readonly session: SignedIn;
}

/** What a page on the way into an account gets. */
export interface EntranceProps extends LazyPageProps {
  readonly session: SessionState;
}
