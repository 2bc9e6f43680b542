/** Words for codes, states and actions. An unknown code is shown in readable form. */

/** The meaning of each error code and its solution. The codes are those of docs/reference/errors.md. */
const refusalWords: Readonly<Record<string, readonly [means: string, todo: string]>> = {
  rate_limited: ['Too many calls in one minute', 'Spread calls out, or wait for the time in Retry-After.'],
  quota_exceeded: ['The calls of the month were used up', 'Wait for the next month, or ask for a larger plan.'],
  exceeds_plan: [
    'The request cost more than the plan has at once',
    'Send fewer identifiers, or ask for a larger plan.',
  ],
  invalid_api_key: ['The key was revoked or had expired', 'Use a live key: create or rotate one on the Keys page.'],
  plan_inactive: ['The account or its plan was not active', 'Ask the operator of this service to activate it.'],
  invalid_parameter: ['A parameter was wrong', 'The error names the parameter; the API reference lists them all.'],
  invalid_cursor: ['The cursor was not one of this search', 'Send the cursor with the same search that gave it.'],
  cursor_expired: ['The cursor had expired', 'Start again from the first page.'],
  malformed_request: ['The request could not be read', 'Check its address and headers.'],
  malformed_body: ['The body was not a JSON object', 'Send one JSON object with Content-Type: application/json.'],
  body_too_large: ['The body was too large', 'Send fewer identifiers at once.'],
  unsupported_media_type: ['The body was not JSON', 'Send Content-Type: application/json.'],
  not_found: ['There was no such entity or address', 'Check the id or slug, or search for the name.'],
  method_not_allowed: ['The address does not offer the method', 'The answer’s Allow header names those that work.'],
  too_many_cursors: ['Too many cursors were open', 'Follow one to its end before you open the next.'],
  search_unavailable: ['The search engine failed', 'Repeat the call; it was not your fault.'],
  internal_error: ['The service failed', 'Repeat the call; if it stays, report the request id.'],
  service_unavailable: ['The database could not be reached', 'Repeat the call after the time in Retry-After.'],
  overloaded: ['The service was too busy', 'Repeat the call after a second; nothing was counted.'],
};

export function refusalWord(code: string): { readonly means: string; readonly todo: string } {
  const [means, todo] = refusalWords[code] ?? [readable(code), 'The API reference explains this code.'];
  return { means, todo };
}

const endpointWords: Readonly<Record<string, string>> = { suggest: 'Suggestions', console: 'These pages' };

export function endpointWord(endpoint: string): string {
  return endpointWords[endpoint] ?? readable(endpoint);
}

/** The tone of a badge: good, in progress, bad, or neutral. */
export type Tone = 'good' | 'busy' | 'bad' | 'plain';

interface StateWord {
  readonly word: string;
  readonly tone: Tone;
  readonly means: string;
}

/** The meaning of a payment's states, as `docs/payments.md` defines them, for its payer. */
const paymentWords: Readonly<Record<string, StateWord>> = {
  processing: { word: 'In progress', tone: 'busy', means: 'A request is working on it.' },
  settling: {
    word: 'Being checked',
    tone: 'busy',
    means: 'It is not known yet whether the money moved. Repeat the request with the same payment.',
  },
  released: {
    word: 'Not charged',
    tone: 'plain',
    means: 'Given up before the money moved. Repeat the same request to go on.',
  },
  settled: { word: 'Paid', tone: 'good', means: 'The money moved, once.' },
};

export function paymentWord(status: string): StateWord {
  return paymentWords[status] ?? { word: readable(status), tone: 'plain', means: '' };
}

/** The names of chains by their CAIP-2 form. */
const networkTitles: Readonly<Record<string, string>> = { 'eip155:84532': 'Base Sepolia', 'eip155:8453': 'Base' };

/** Returns the CAIP-2 name itself if the chain has no other name. */
export function networkTitle(network: string): string {
  return networkTitles[network] ?? network;
}

/** `too_many_cursors` → `Too many cursors`; also for `key.created` and `settledOn`. */
export function readable(code: string): string {
  const words = code
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[._-]+/g, ' ')
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
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
