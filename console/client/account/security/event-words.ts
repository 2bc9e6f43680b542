import { readable, shortAddress } from '../words.ts';

/** What is done to an account, as its events call it, in words. */
const actionWords: Readonly<Record<string, string>> = {
  account_opened: 'Account opened',
  signed_in: 'Signed in',
  signed_out: 'Signed out',
  signed_out_everywhere: 'Signed out everywhere',
  session_revoked: 'Session revoked',
  confirmed: 'Confirmed by a signature',
  wallet_added: 'Wallet added',
  wallet_removed: 'Wallet removed',
  passkey_added: 'Passkey added',
  passkey_removed: 'Passkey removed',
  invitation_accepted: 'Invitation accepted',
  created: 'Key created',
  rotated: 'Key rotated',
  revoked: 'Key revoked',
  changed: 'Key changed',
};

interface EventLike {
  readonly action: string;
  readonly actor: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** What happened. */
export function eventWord({ action }: EventLike): string {
  return actionWords[action] ?? readable(action);
}

/** More about what happened, such as the name of a key; empty where the event has nothing that is worth a line. */
export function eventDetail({ detail }: EventLike): string {
  const parts = Object.entries(detail).flatMap(([name, value]) => {
    if (typeof value === 'string' && value !== '') return [`${readable(name).toLowerCase()} ${shortened(value)}`];
    if (typeof value === 'number' || typeof value === 'boolean') return [`${readable(name).toLowerCase()} ${value}`];
    return [];
  });
  return parts.slice(0, partsMax).join(', ');
}

const partsMax = 4;
const valueMax = 60;

function shortened(value: string): string {
  if (/^0x[0-9a-f]{20,}$/i.test(value)) return shortAddress(value);
  return value.length > valueMax ? `${value.slice(0, valueMax)}…` : value;
}

/** Who did it: addresses are shortened, wherever they stand. */
export function actorWord({ actor }: EventLike): string {
  return actor.replace(/0x[0-9a-f]{40}/gi, shortAddress);
}
