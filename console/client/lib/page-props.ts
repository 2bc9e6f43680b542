import type { SessionState, SignedIn } from '../../../src/account/answers.ts';

export interface AccountPageProps {
  /** The query of the address, with its question mark; empty without parameters. */
  readonly search: string;
  readonly session: SignedIn;
}

/** The properties of a page that works without a session. */
export interface EntranceProps {
  readonly search: string;
  readonly session: SessionState;
}
