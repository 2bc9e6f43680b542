/** Words for codes, states and actions. An unknown code is shown as words. */

import type { AccountEvent } from '../../../src/account/answers.ts';
import { labelOf } from '../../shared/record.ts';

const endpointWords: Readonly<Record<string, string>> = { suggest: 'Suggestions', console: 'Website' };

export function endpointWord(endpoint: string): string {
  return endpointWords[endpoint] ?? labelOf(endpoint);
}

interface StateWord {
  readonly word: string;
  readonly tone: 'neutral' | 'good' | 'warning';
  readonly means: string;
}

/** The meaning of a payment's states, as `docs/payments.md` defines them, for its payer. */
const paymentWords: Readonly<Record<string, StateWord>> = {
  processing: { word: 'In progress', tone: 'warning', means: 'The request is still running.' },
  settling: {
    word: 'Being checked',
    tone: 'warning',
    means: 'The transfer is being confirmed. Send the same request again.',
  },
  released: {
    word: 'Not charged',
    tone: 'neutral',
    means: 'Cancelled before any money moved. Send the same request to try again.',
  },
  settled: { word: 'Paid', tone: 'good', means: 'Paid once.' },
};

export function paymentWord(status: string): StateWord {
  return paymentWords[status] ?? { word: labelOf(status), tone: 'neutral', means: '' };
}

/** `0x52908400098527886e0f7030069857d2e4169ee7` → `0x5290…9ee7` */
export function shortAddress(address: string): string {
  return address.length > 14 ? `${address.slice(0, 6)}…${address.slice(-4)}` : address;
}

const browsers = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;
const systems = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const;

/** Returns `Firefox on Windows`, as far as the User-Agent shows it; for other programs, the first word. */
export function browserWord(userAgent: string): string {
  const browser = browsers.find(([mark]) => userAgent.includes(mark))?.[1];
  const system = systems.find(([mark]) => userAgent.includes(mark))?.[1];
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  const [program = ''] = userAgent.split(/[\s/]/);
  return program.slice(0, 40) || 'Unknown browser';
}

/** Words for actions whose code as words would be unclear. */
const actionWords: Readonly<Record<string, string>> = {
  session_revoked: 'Session revoked',
  confirmed: 'Identity confirmed',
  reinstated: 'Resumed',
  operator_changed_account: 'Changed another account',
  operator_revoked_key: 'Revoked a key of another account',
};

export function eventWord({ action, detail }: Pick<AccountEvent, 'action' | 'detail'>): string {
  if (action === 'key_created' && detail.replaces !== undefined) return 'Key created by rotation';
  return actionWords[action] ?? labelOf(action);
}

/** The details of an event that are shown; the others are for programs. */
const detailWords: Readonly<Record<string, (value: string) => string>> = {
  method: (method) => `with ${method === 'invitation' ? 'an' : 'a'} ${method}`,
  with: (kind) => `with a ${kind}`,
  plan: (plan) => `on the plan ${plan}`,
  address: shortAddress,
  key: (name) => name,
  prefix: (prefix) => `${prefix}…`,
  reason: (reason) => reason,
  sessions: (count) => (count === '1' ? '1 session' : `${count} sessions`),
  invited_by: (who) => `from ${who}`,
  account: (name) => name,
  account_id: (id) => `account ${id}`,
  change: (action) => (actionWords[action] ?? labelOf(action)).toLowerCase(),
  before: (plan) => `from ${plan}`,
  after: (plan) => `to ${plan}`,
};

const valueMax = 80;

/** Returns more about the event, such as the name of a key; empty if there is no more. */
export function eventDetail({ detail }: Pick<AccountEvent, 'detail'>): string {
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
export function actorWord({ actor }: Pick<AccountEvent, 'actor'>): string {
  const short = actor.replace(/0x[0-9a-f]{40}/gi, shortAddress);
  return short.charAt(0).toUpperCase() + short.slice(1);
}
