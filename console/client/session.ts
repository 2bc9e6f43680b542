import { useEffect, useState } from 'preact/hooks';

/** What `GET /account/api/session` answers to everybody. */
interface SessionCommon {
  readonly sign_up: 'closed' | 'invited' | 'open';
  readonly sign_in: { readonly available: boolean; readonly passkeys: boolean; readonly reason: string | null };
  readonly chain_id: number;
  readonly visitor_searches_per_minute: number;
  readonly demo_wallet: { readonly private_key: `0x${string}` } | null;
}

export interface SignedIn extends SessionCommon {
  readonly signed_in: true;
  readonly account: {
    readonly id: number;
    readonly name: string;
    readonly plan: string;
    readonly role: 'member' | 'operator';
    readonly active: boolean;
    readonly limits: { readonly calls_per_minute: number | null; readonly calls_per_month: number | null };
  };
  readonly session: {
    readonly id: number;
    readonly method: 'wallet' | 'passkey' | 'invitation';
    readonly created_at: string;
    readonly expires_at: string;
    readonly confirmed: boolean;
  };
}

export type Session = SignedIn | (SessionCommon & { readonly signed_in: false });

let known: Session | null = null;
let asked: Promise<Session | null> | null = null;
const listeners = new Set<(session: Session | null) => void>();

/** Tells every part of the page who is signed in, after a change or an answer of the server. */
export function setSession(session: Session | null): void {
  known = session;
  for (const listener of listeners) listener(session);
}

/** Asks the server who is signed in; null where it could not be asked. */
export async function refreshSession(): Promise<Session | null> {
  asked = (async () => {
    try {
      const response = await fetch('/account/api/session', { headers: { Accept: 'application/json' } });
      // The server of the same build wrote it, at this origin.
      const body = (await response.json()) as { readonly data: Session };
      return response.ok ? body.data : null;
    } catch {
      return null;
    }
  })();
  const session = await asked;
  setSession(session);
  return session;
}

/** Who is signed in; null as long as it is not known. */
export function useSession(): Session | null {
  const [session, follow] = useState(known);
  useEffect(() => {
    listeners.add(follow);
    follow(known);
    if (asked === null) void refreshSession();
    return () => void listeners.delete(follow);
  }, []);
  return session;
}
