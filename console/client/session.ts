import { useEffect, useState } from 'preact/hooks';
import type { SessionState } from '../../src/account/answers.ts';
import { ApiError, get } from '../shared/account-api.ts';

/** The session; `failed` if it could not be loaded, null until it is known. */
type Known = SessionState | 'failed' | null;

let known: Known = null;
let asked = false;
const listeners = new Set<(session: Known) => void>();

/** Gives every part of the page a changed session. */
export function setSession(session: Known): void {
  known = session;
  if (session !== null && session !== 'failed' && session.signed_in) ended = false;
  for (const listener of listeners) listener(session);
}

/** True after the server has refused the session of this page: it expired, or was ended elsewhere. */
let ended = false;

export const sessionEnded = () => ended;

/** Requests the session after a refusal. */
export async function refreshEndedSession(): Promise<void> {
  ended = true;
  await refreshSession();
}

/** Requests the session from the server. */
export async function refreshSession(): Promise<void> {
  asked = true;
  const session = await get<SessionState>('session').catch((error: unknown) => {
    if (error instanceof ApiError) return 'failed' as const;
    throw error;
  });
  setSession(session);
}

export function useSession(): Known {
  const [session, follow] = useState(known);
  useEffect(() => {
    listeners.add(follow);
    follow(known);
    if (!asked) void refreshSession();
    return () => void listeners.delete(follow);
  }, []);
  return session;
}
