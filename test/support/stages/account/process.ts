import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { type AccountAnswer, type AccountClient, accountClient } from '../../../../dev/lib/account-client.ts';
import { type Changes, withApiLimits } from '../../../../dev/lib/limits.ts';
import type { Config } from '../../../../src/config/api.ts';
import { type AccessStage, setAccessStage } from '../access.ts';

/** A person who signed in with a wallet to a new account. */
export interface Member {
  readonly client: AccountClient;
  readonly wallet: PrivateKeyAccount;
  readonly accountId: number;
  readonly sessionId: number;
  /** A fresh signature, which one change of wallets or passkeys needs. */
  confirm(): Promise<AccountAnswer>;
}

/** The API as a separate process with the account page on loopback, on a new database and without Elasticsearch. */
export interface AccountProcessStage extends AsyncDisposable {
  readonly access: AccessStage;
  /** Such as `http://localhost:1234`. */
  readonly origin: string;
  /** Another process on the same database. */
  startApi(env?: Readonly<Record<string, string>>, limits?: Changes<Config>): Promise<string>;
  visitor(origin?: string): AccountClient;
  member(origin?: string): Promise<Member>;
}

/** All of a test come from one address, and not to try how it is slowed down. */
const patient: Changes<Config> = {
  console: { attempts: { perMinute: 1_000_000, newAccountsPerHour: 1_000_000 } },
};

export async function setAccountProcessStage(): Promise<AccountProcessStage> {
  await using resources = new AsyncDisposableStack();
  const access = resources.use(await setAccessStage());
  const processes = resources.use(new AsyncDisposableStack());
  const startApi: AccountProcessStage['startApi'] = async (env = {}, limits = {}) => {
    const settings = withApiLimits({ SIGN_UP: 'open', ...env }, patient);
    const { url } = processes.use(access.startApi(withApiLimits(settings, limits)));
    return (await url).replace('127.0.0.1', 'localhost');
  };
  const origin = await startApi();
  const owned = resources.move();
  return {
    access,
    origin,
    startApi,
    visitor: (at = origin) => accountClient(at),
    member: (at = origin) => newMember(at),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function newMember(origin: string): Promise<Member> {
  const client = accountClient(origin);
  const wallet = privateKeyToAccount(generatePrivateKey());
  const { account, session } = dataOf<SignedIn>(await client.signIn(wallet));
  return {
    client,
    wallet,
    accountId: account.id,
    sessionId: session.id,
    async confirm() {
      const signed = await signChallenge(client, wallet, 'confirm');
      return client.post('session/confirmation', { wallet: signed });
    },
  };
}

/** The session data of a signed-in browser that tests read. */
export interface SignedIn {
  readonly signed_in: boolean;
  readonly account: { readonly id: number; readonly name: string; readonly plan: string };
  readonly session: { readonly id: number; readonly confirmed: boolean };
}

/** Requests a message and signs it. */
export async function signChallenge(
  client: AccountClient,
  wallet: PrivateKeyAccount,
  purpose: 'sign-in' | 'confirm' | 'add' | 'invitation',
): Promise<{ readonly message: string; readonly signature: string }> {
  const answer = await client.post('wallets/challenge', { address: wallet.address, purpose });
  const { message } = dataOf<{ readonly message: string }>(answer);
  return { message, signature: await wallet.signMessage({ message }) };
}

/** Returns the data of a successful answer, and throws otherwise. Tests check its content. */
export function dataOf<Data>({ status, text, body }: AccountAnswer): Data {
  if (status !== 200 && status !== 201) throw new Error(`${status} ${text}`);
  return (body as { readonly data: Data }).data;
}

/** Returns the status and code of an error. */
export function refusalOf({ status, body }: AccountAnswer): { readonly status: number; readonly code: unknown } {
  const code = typeof body === 'object' && body !== null && 'code' in body ? body.code : null;
  return { status, code };
}
