import { request as requestAnswer } from '../shared/account-api.ts';

/** A failed request, with a message for the page. `code` is the server's, or `unreachable`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** Sends a request to the account's API and returns `data` of the answer. Throws `ApiError`. */
async function request<Data>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<Data> {
  const answer = await requestAnswer<Data>(method, path, { body });
  if (!answer.ok) throw new ApiError(answer.message, answer.code);
  return answer.data;
}

export const get = <Data>(path: string) => request<Data>('GET', path);
export const post = <Data = object>(path: string, body: object = {}) => request<Data>('POST', path, body);
export const remove = (path: string) => request<object>('DELETE', path);

/** A message from the server and the wallet's signature. */
export interface SignedMessage {
  readonly message: string;
  readonly signature: string;
}

/** The proof that the user has a wallet or a passkey. */
export type Proof = { readonly wallet: SignedMessage } | { readonly passkey: { readonly response: object } };
