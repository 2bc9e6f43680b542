/** An operation of the API, from the generated table. */
export interface Operation {
  readonly method: string;
  /** A path with parameters in braces. */
  readonly path: string;
  /** The credential that the operation takes: an API key, a payment, or none. */
  readonly access: 'key' | 'payment' | 'none';
  /** Names of the parameters in the path and in the query; all others are in the body. */
  readonly inPath: readonly string[];
  readonly inQuery: readonly string[];
  readonly hasBody: boolean;
  /** The fields that its answer always has; null for a text. */
  readonly answer: readonly string[] | null;
  /** The statuses of a successful answer. Health has two: it also answers with 503. */
  readonly statuses: readonly number[];
}

/** A request without the caller's credentials. */
export interface Request {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly body: string | undefined;
}

/** Builds the request of an operation. Throws TypeError for invalid arguments. */
export function requestOf(operation: Operation, given: Readonly<Record<string, unknown>>): Request {
  const { method, path, inPath, inQuery, hasBody } = operation;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || inPath.includes(name)) continue;
    if (inQuery.includes(name)) {
      if (!Array.isArray(value)) query.append(name, textOf(name, value));
      // Within a list, a comma would end the value.
      else for (const each of value) query.append(name, textOf(name, each).replace(/[\\,]/g, '\\$&'));
    } else if (!hasBody) {
      // Unknown parameters are sent, so that the server's error names them.
      query.append(name, textOf(name, value));
    }
  }
  const filled = inPath.reduce((text, name) => text.replace(`{${name}}`, segmentOf(name, given[name])), path);
  const text = query.toString();
  return {
    method: method.toUpperCase(),
    target: text === '' ? filled : `${filled}?${text}`,
    body: hasBody ? JSON.stringify(given) : undefined,
  };
}

function textOf(name: string, value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string' || typeof value === 'boolean') return String(value);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  throw new TypeError(`${name} must be a text, a number, true or false, a Date, or a list of those`);
}

/** Encodes one segment of a path. Refuses "." and "..", which would lead to another address. */
function segmentOf(name: string, value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') throw new TypeError(`${name} must be an id or a slug`);
  const text = encodeURIComponent(String(value));
  if (/^\.*$/.test(text)) throw new TypeError(`${name} must be an id or a slug`);
  return text;
}

/** Returns the address without a final slash. Throws TypeError if it is not an address. */
export function checkedBaseUrl(baseUrl: string): string {
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch {
    throw new TypeError('baseUrl must be the address of the API, such as "https://api.example.com"');
  }
  if (!/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new TypeError('baseUrl must be the address of the API, such as "https://api.example.com"');
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('baseUrl must not hold a name or password: give the key as apiKey');
  }
  return url.href.replace(/\/+$/, '');
}

/** Checks an API key. The error never contains the key. */
export function checkApiKey(apiKey: string | undefined): void {
  if (apiKey === undefined) return;
  if (!/^[\x21-\x7e]{1,512}$/.test(apiKey)) {
    throw new TypeError(
      'apiKey must be the key alone, such as es_live_…: it has a space, a line end or another letter',
    );
  }
  if (apiKey.startsWith('0x')) throw new TypeError("apiKey looks like a wallet's private key: give that as wallet");
}
