import { UnexpectedAnswerError } from './errors.ts';
import { exchange, type Settings } from './exchange.ts';
import { operations as table } from './generated/operations.ts';
import type { operations as Schemas } from './generated/schema.ts';
import type { Payment } from './payment.ts';
import { checkApiKey, checkedBaseUrl, type Operation, requestOf } from './request.ts';
import { defaultLimits, type Limits } from './retry.ts';
import { Purse, SignedPayment, type Spending } from './spending.ts';
import { type Account, accountOf, checkWallet } from './wallet.ts';

export interface ClientOptions {
  /** The address of the API, such as `https://api.example.com`. */
  readonly baseUrl: string;
  /** Needed for all operations except paid search, health and the documents. */
  readonly apiKey?: string | undefined;
  /** Pays for `paidSearch`: a private key (which needs the package viem), or an account of viem. */
  readonly wallet?: string | Account | undefined;
  /** Limits on payments: by default 0.05 USD a call, and 1 USD in all. */
  readonly spending?: Spending | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** A replacement for the global `fetch`, such as for a proxy. */
  readonly fetch?: typeof fetch | undefined;
}

export interface CallOptions {
  /** Aborts the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export type OperationName = keyof typeof table;
type Part<Parameters, Name extends string> = Parameters extends { [Key in Name]?: infer Value }
  ? [NonNullable<Value>] extends [never]
    ? unknown
    : NonNullable<Value>
  : unknown;
type BodyOf<Schema> = Schema extends { requestBody: { content: { 'application/json': infer Body } } } ? Body : unknown;
/** The parameters of an operation: those of its path and query, or its body. */
export type ParametersOf<Name extends OperationName> = Part<Schemas[Name]['parameters'], 'path'> &
  Part<Schemas[Name]['parameters'], 'query'> &
  BodyOf<Schemas[Name]>;
export type AnswerOf<Name extends OperationName> = Schemas[Name] extends {
  responses: { 200: { content: { 'application/json': infer Answer } } };
}
  ? Answer
  : string;

type Method<Name extends OperationName> =
  Record<never, never> extends ParametersOf<Name>
    ? (parameters?: ParametersOf<Name>, options?: CallOptions) => Promise<AnswerOf<Name>>
    : (parameters: ParametersOf<Name>, options?: CallOptions) => Promise<AnswerOf<Name>>;
export type Operations = { readonly [Name in OperationName]: Method<Name> };

export type SearchParameters = ParametersOf<'search'>;
export type SearchAnswer = AnswerOf<'search'>;
/** One result of a search; `entity_type` is its kind. */
export type Item = SearchAnswer['data']['results'][number];

export interface EntitySearchClient extends Operations {
  /** All pages of a search, each when it is asked for; `limit` is their size. Throws `cursor_expired` if the results
   * were not kept until the next page was asked for: start again. */
  searchPages(parameters: SearchParameters, options?: CallOptions): AsyncGenerator<SearchAnswer, void, undefined>;
  /** Yields all results of a search and loads each page when it is needed. */
  searchAll(parameters: SearchParameters, options?: CallOptions): AsyncGenerator<Item, void, undefined>;
  /**
   * Yields the pages of removals since a cursor, up to the present. Apply the last page's removals, then keep its
   * `nextCursor` for the next time. Throws `removals_unknown` if a copy must be rebuilt.
   */
  removalPages(
    parameters: ParametersOf<'removals'>,
    options?: CallOptions,
  ): AsyncGenerator<AnswerOf<'removals'>, void, undefined>;
  /** Returns the answer to an interrupted paid search, with the payment that was signed for it. */
  resumePaidSearch(payment: Payment, options?: CallOptions): Promise<AnswerOf<'paidSearch'>>;
  /** The amount charged for this client's paid searches, in US dollars. */
  readonly spentUsd: string;
  /** Signed payments whose outcome is unknown, such as those of aborted calls. `resumePaidSearch` resolves one. */
  readonly unresolvedPayments: readonly Payment[];
}

/** Creates a client of the API. Throws TypeError for invalid options. */
export function createClient(options: ClientOptions): EntitySearchClient {
  checkApiKey(options.apiKey);
  checkWallet(options.wallet);
  const { wallet } = options;
  let account: Promise<Account> | undefined;
  const settings: Settings = {
    baseUrl: checkedBaseUrl(options.baseUrl),
    apiKey: options.apiKey,
    account:
      wallet === undefined
        ? undefined
        : () => {
            account ??= accountOf(wallet);
            return account;
          },
    purse: new Purse(options.spending ?? {}),
    limits: { ...defaultLimits, ...options.limits },
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
  };
  const search = call(settings, 'search') as Method<'search'>;
  // The table has one entry for each operation of the generated types: both come from one document.
  const methods = Object.fromEntries(
    operationNames.map((name) => [name, call(settings, name)]),
  ) as unknown as Operations;
  const client: EntitySearchClient = {
    ...methods,
    searchPages: (parameters, callOptions) => pages(search, parameters, callOptions),
    async *searchAll(parameters, callOptions) {
      for await (const { data } of pages(search, parameters, callOptions)) yield* data.results;
    },
    async *removalPages(parameters, callOptions) {
      for (let given = parameters; ; ) {
        const page = await client.removals(given, callOptions);
        yield page;
        if (!page.data.hasMore) return;
        given = { ...given, cursor: nextCursor(page, given.cursor) };
      }
    },
    async resumePaidSearch(payment, { signal } = {}) {
      if (!(payment instanceof SignedPayment))
        throw new TypeError('payment must be one that a client of ours has signed');
      const request = { method: 'GET', target: payment.target, body: undefined };
      const paid = { name: 'paidSearch', operation: table.paidSearch, request, signal };
      return (await exchange(settings, paid, payment)) as AnswerOf<'paidSearch'>;
    },
    get spentUsd() {
      return settings.purse.chargedUsd;
    },
    get unresolvedPayments() {
      return settings.purse.unresolved;
    },
  };
  return client;
}

const operationNames = Object.keys(table) as readonly OperationName[];

function call(settings: Settings, name: OperationName) {
  const operation: Operation = table[name];
  return async (parameters: Readonly<Record<string, unknown>> = {}, { signal }: CallOptions = {}): Promise<unknown> =>
    exchange(settings, { name, operation, request: requestOf(operation, parameters), signal });
}

async function* pages(
  search: Method<'search'>,
  parameters: SearchParameters,
  options: CallOptions | undefined,
): AsyncGenerator<SearchAnswer, void, undefined> {
  for (let given = parameters; ; ) {
    const page = await search(given, options);
    yield page;
    if (page.data.nextCursor === null || page.data.nextCursor === undefined) return;
    // A cursor knows its page.
    const { page: _, ...rest } = given;
    given = { ...rest, cursor: nextCursor(page, given.cursor) };
  }
}

function nextCursor(
  { data, meta }: { readonly data: { readonly nextCursor: string | null }; readonly meta: SearchAnswer['meta'] },
  given: string | undefined,
): string {
  if (data.nextCursor !== null && data.nextCursor !== given) return data.nextCursor;
  const place = { status: 200, requestId: meta.requestId };
  throw new UnexpectedAnswerError('The server leads from a page to the same page', place);
}
