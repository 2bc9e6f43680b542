import type * as Api from '../../src/account/answers.ts';
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

/** Returns `?a=1&b=2` for the parameters that are set. */
function query(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** A message from the server and the wallet's signature. */
export interface SignedMessage {
  readonly message: string;
  readonly signature: string;
}

/** The proof that the user has a wallet or passkey of the account. */
export type Proof = { readonly wallet: SignedMessage } | { readonly passkey: { readonly response: object } };

/** The credential that an invitation registers. */
export type Registration =
  | { readonly wallet: SignedMessage }
  | { readonly passkey: { readonly name: string; readonly response: object } };

export const getSession = () => request<Api.SessionState>('GET', 'session');
export const walletChallenge = (address: string, purpose: Api.Purpose, invitation?: string) =>
  request<Api.WalletChallenge>('POST', 'wallets/challenge', { address, purpose, invitation });
export const passkeyChallenge = <Options>(purpose: Api.Purpose, invitation?: string) =>
  request<{ options: Options }>('POST', 'passkeys/challenge', { purpose, invitation });
export const signInWithWallet = (signed: SignedMessage) => request<Api.SignedIn>('POST', 'sign-in/wallet', signed);
export const signInWithPasskey = (response: object) => request<Api.SignedIn>('POST', 'sign-in/passkey', { response });
export const readInvitation = (token: string) => request<Api.Invitation>('POST', 'invitations/read', { token });
export const acceptInvitation = (token: string, registration: Registration) =>
  request<Api.SignedIn>('POST', 'invitations/accept', { token, ...registration });
export const confirmSession = (proof: Proof) =>
  request<{ confirmed: true; until: string }>('POST', 'session/confirmation', proof);
export const signOut = () => request<object>('POST', 'sign-out', {});
export const signOutEverywhere = () => request<{ sessions: number }>('POST', 'sign-out-everywhere', {});

export const getSecurity = () => request<Api.Security>('GET', 'security');
export const getEvents = (before?: string) => request<Api.Events>('GET', `events${query({ limit: 20, before })}`);
export const addWallet = (signed: SignedMessage) => request<object>('POST', 'wallets', signed);
export const removeWallet = (id: number) => request<object>('DELETE', `wallets/${id}`);
export const addPasskey = (name: string, response: object) => request<object>('POST', 'passkeys', { name, response });
export const removePasskey = (id: number) => request<object>('DELETE', `passkeys/${id}`);
export const revokeSession = (id: number) => request<object>('DELETE', `sessions/${id}`);

export const getKeys = () => request<Api.Keys>('GET', 'keys');
export const createKey = (name: string, environment: Api.AccountKey['environment'], expiresAt: string | null) =>
  request<Api.CreatedKey>('POST', 'keys', { name, environment, expires_at: expiresAt });
export const rotateKey = (id: number, overlapHours: number) =>
  request<Api.RotatedKey>('POST', `keys/${id}/rotation`, { overlap_hours: overlapHours });
export const revokeKey = (id: number) => request<Api.AccountKey>('DELETE', `keys/${id}`);

export const getUsage = (days: number) => request<Api.Usage>('GET', `usage${query({ days })}`);
export const getPayments = (before?: number) => request<Api.Payments>('GET', `payments${query({ limit: 25, before })}`);

export const getOperatorAccounts = (text: string, after?: number) =>
  request<Api.OperatorAccounts>('GET', `operator/accounts${query({ query: text, after })}`);
export const getOperatorAccount = (id: number) => request<Api.OperatorAccountDetail>('GET', `operator/accounts/${id}`);
export const getPlans = () => request<Api.Plans>('GET', 'operator/plans');
export const getIndexState = () => request<Api.IndexState>('GET', 'operator/index');
export const getOperatorPayments = () => request<Api.Ledger>('GET', 'operator/payments');
export const suspendAccount = (id: number, suspended: boolean) =>
  request<object>('POST', `operator/accounts/${id}/suspension`, { suspended });
export const changePlan = (id: number, plan: string) =>
  request<object>('POST', `operator/accounts/${id}/plan`, { plan });
export const revokeKeyOfAccount = (id: number) => request<object>('DELETE', `operator/keys/${id}`);
