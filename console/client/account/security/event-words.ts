import { readable, shortAddress } from '../words.ts';

/** The fields of an event that are shown. */
interface EventLike {
  readonly action: string;
  readonly actor: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly ip: string | null;
}

/** Words for actions whose readable code would be unclear. */
const actionWords: Readonly<Record<string, string>> = {
  session_revoked: 'Session ended',
  confirmed: 'Confirmed by a signature',
  reinstated: 'Resumed',
  operator_changed_account: 'Changed another account',
  operator_revoked_key: 'Revoked a key of another account',
};

export function eventWord({ action, detail }: EventLike): string {
  if (action === 'key_created' && detail.replaces !== undefined) return 'Key created by rotation';
  return actionWords[action] ?? readable(action);
}

/** The details of an event that are shown; the others are for programs. */
const detailWords: Readonly<Record<string, (value: string) => string>> = {
  method: (method) => `with ${method === 'invitation' ? 'an' : 'a'} ${method}`,
  with: (kind) => `of a ${kind}`,
  plan: (plan) => `on the plan ${plan}`,
  address: shortAddress,
  key: (name) => name,
  prefix: (prefix) => `${prefix}…`,
  reason: (reason) => reason,
  sessions: (count) => (count === '1' ? '1 session' : `${count} sessions`),
  invited_by: (who) => `from ${who}`,
  account: (name) => name,
  account_id: (id) => `account ${id}`,
  change: (action) => (actionWords[action] ?? readable(action)).toLowerCase(),
  before: (plan) => `from ${plan}`,
  after: (plan) => `to ${plan}`,
};

const valueMax = 80;

/** Returns more about the event, such as the name of a key; empty if there is no more. */
export function eventDetail({ detail }: EventLike): string {
  // Events of keys have the key's name twice.
  const named = detail.key === undefined && typeof detail.name === 'string' ? [shortened(detail.name)] : [];
  const parts = Object.entries(detailWords).flatMap(([name, word]) => {
    const value = detail[name];
    return typeof value === 'string' || typeof value === 'number' ? [shortened(word(String(value)))] : [];
  });
  return [...named, ...parts].join(', ');
}

function shortened(text: string): string {
  return text.length > valueMax ? `${text.slice(0, valueMax)}…` : text;
}

/** The actor, with shortened addresses. */
export function actorWord({ actor }: EventLike): string {
  const short = actor.replace(/0x[0-9a-f]{40}/gi, shortAddress);
  return short.charAt(0).toUpperCase() + short.slice(1);
}

/** Returns the client address; null for events of the command line. */
export function eventPlace({ ip, detail }: EventLike): string | null {
  return ip ?? (typeof detail.ip === 'string' ? detail.ip : null);
}
