import type { KindName } from '../../../src/kinds/kind.ts';
import type { FilterName } from './options.ts';
import type { Understood } from './question.ts';

/** An answer of the account's API: what was asked for, or why not. */
export type Answer<Data> = { readonly ok: true; readonly data: Data } | Refusal;

export interface Refusal {
  readonly ok: false;
  /** 0 where nothing was answered. */
  readonly status: number;
  readonly code: string;
  /** For people. */
  readonly message: string;
  readonly retryAfterSeconds: number | null;
}

export interface Item extends Readonly<Record<string, unknown>> {
  readonly entity_type: KindName;
  readonly id: number;
  readonly name: string;
  readonly slug?: string;
  /** Why it was found, by where: fragments of escaped text with the matches in `<em>`. */
  readonly highlight?: Readonly<Record<string, readonly string[] | undefined>>;
  /** Of an event: the others of its series, the newest first. */
  readonly editions?: readonly Edition[];
}

export interface Edition {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly year: number | null;
  /** YYYY-MM-DD */
  readonly start_date: string | null;
}

export interface FacetValue {
  readonly value: string | boolean;
  readonly count: number;
}

export interface Found {
  readonly results: readonly Item[];
  readonly totalResults: number;
  readonly totalPages: number;
  readonly page: number;
  readonly matchedBy: 'strict' | 'tolerant' | 'semantic';
  /** Null where the query asks for nothing but its words. */
  readonly understood: Understood | null;
  readonly facets?: Readonly<Partial<Record<FilterName, readonly FacetValue[]>>>;
}

export interface Suggestion {
  readonly entity_type: KindName;
  readonly id: number;
  readonly name: string;
  readonly slug: string;
}

/** Searches as these pages do: with the session, or as a visitor. Never rejects but where it is aborted. */
export function fetchSearch(params: URLSearchParams, signal: AbortSignal): Promise<Answer<Found>> {
  return get(`/account/api/search?${params}`, signal);
}

export function fetchSuggestions(
  params: URLSearchParams,
  signal: AbortSignal,
): Promise<Answer<{ readonly suggestions: readonly Suggestion[] }>> {
  return get(`/account/api/suggest?${params}`, signal);
}

const noAnswer: Refusal = {
  ok: false,
  status: 0,
  code: 'no_answer',
  message: 'The server did not answer. Check the connection and try again.',
  retryAfterSeconds: null,
};

async function get<Data>(address: string, signal: AbortSignal): Promise<Answer<Data>> {
  let response: Response;
  try {
    response = await fetch(address, { signal, headers: { Accept: 'application/json' } });
  } catch (error) {
    if (signal.aborted) throw error;
    return noAnswer;
  }
  const body = await bodyOf(response);
  if (body === null) return { ...noAnswer, status: response.status };
  // The server of the same build wrote it, at this origin.
  if (response.ok) return { ok: true, data: body.data as Data };
  const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN);
  return {
    ok: false,
    status: response.status,
    code: String(body.code),
    message: String(body.error),
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : null,
  };
}

/** Null where it is no JSON object, as the error page of a proxy is none. */
async function bodyOf(response: Response): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    const body: unknown = await response.json();
    return typeof body === 'object' && body !== null ? { ...body } : null;
  } catch {
    return null;
  }
}
