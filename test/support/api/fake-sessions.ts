import type { AccountPorts, Session } from '../../../src/account/ports.ts';
import { hashToken, newToken } from '../../../src/account/tokens.ts';

/** The session of a member on the plan "starter". */
export const memberSession: Session = {
  sessionId: 3,
  method: 'wallet',
  createdAtMs: 0,
  expiresAtMs: Number.MAX_SAFE_INTEGER,
  confirmedUntilMs: null,
  account: {
    id: 42,
    name: 'Tests',
    role: 'member',
    active: true,
    plan: { name: 'starter', active: true, callsPerMinute: 60, callsPerMonth: 50_000 },
  },
};

/** A store that knows one session, and the cookie of the browser that holds it, over http. */
export function oneSession(session: Session): {
  readonly sessions: AccountPorts['sessions'];
  readonly cookie: string;
} {
  const token = newToken();
  const hash = hashToken(token);
  return {
    sessions: { find: async (asked) => ({ ok: true, session: asked.equals(hash) ? session : null }) },
    cookie: `entity_search_session=${token}`,
  };
}
