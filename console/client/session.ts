import { useEffect, useState } from 'preact/hooks';
import type { SessionState } from '../../src/account/answers.ts';
import { ApiError, getSession } from './api.ts';

let known: SessionState | null = null;
let asked = false;
const listeners = new Set<(session: SessionState | null) => void>();

/** Gives every part of the page a changed session. */
export function setSession(session: SessionState | null): void {
  known = session;
  for (const listener of listeners) listener(session);
}

/** Requests the session from the server; null if the request failed. */
export async function refreshSession(): Promise<SessionState | null> {
  asked = true;
  const session = await getSession().catch((error: unknown) => {
    if (error instanceof ApiError) return null;
    throw error;
  });
  setSession(session);
  return session;
}

/** Returns the session; null until it is known. */
export function useSession(): SessionState | null {
  const [session, follow] = useState(known);
  useEffect(() => {
    listeners.add(follow);
    follow(known);
    if (!asked) void refreshSession();
    return () => void listeners.delete(follow);
  }, []);
  return session;
}
