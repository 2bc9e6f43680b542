import { useEffect, useState } from 'preact/hooks';
import type { SessionState } from '../../src/account/answers.ts';
import { ApiError, getSession } from './api.ts';

let known: SessionState | null = null;
let asked = false;
const listeners = new Set<(session: SessionState | null) => void>();

/** Tells every part of the page who is signed in, after a change or an answer of the server. */
export function setSession(session: SessionState | null): void {
  known = session;
  for (const listener of listeners) listener(session);
}

/** Asks the server who is signed in; null where it can't be told. */
export async function refreshSession(): Promise<SessionState | null> {
  asked = true;
  const session = await getSession().catch((error: unknown) => {
    if (error instanceof ApiError) return null;
    throw error;
  });
  setSession(session);
  return session;
}

/** Who is signed in; null as long as it is not known. */
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
