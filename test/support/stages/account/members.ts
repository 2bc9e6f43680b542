import type { PrivateKeyAccount } from 'viem/accounts';
import { type Changes, withApiLimits } from '../../../../dev/lib/limits.ts';
import type { Config } from '../../../../src/config/api.ts';
import { type Answered, type Browser, newBrowser } from '../../account/browser.ts';
import { newWallet, signedBy, signInWith } from '../../account/wallets.ts';
import { type AccessStage, setAccessStage } from '../access.ts';

/** A person who signed in with a wallet to a new account. */
export interface Member {
  readonly client: Browser;
  readonly wallet: PrivateKeyAccount;
  readonly accountId: number;
  readonly sessionId: number;
  /** A fresh signature, which one change of wallets or passkeys needs. */
  confirm(): Promise<Answered>;
}

/** The API with the account page on loopback, on a new database and without Elasticsearch. */
export interface MembersStage extends AsyncDisposable {
  readonly access: AccessStage;
  /** Such as `http://localhost:1234`. */
  readonly origin: string;
  /** Starts another API on the same database. */
  startApi(env?: Readonly<Record<string, string>>, limits?: Changes<Config>): Promise<string>;
  visitor(origin?: string): Browser;
  member(origin?: string): Promise<Member>;
}

/** All of a test come from one address, and not to try how it is slowed down. */
const patient: Changes<Config> = {
  console: { attempts: { perMinute: 1_000_000, newAccountsPerHour: 1_000_000 } },
};

export async function setMembersStage(): Promise<MembersStage> {
  await using resources = new AsyncDisposableStack();
  const access = resources.use(await setAccessStage());
  const apis = resources.use(new AsyncDisposableStack());
  const startApi: MembersStage['startApi'] = async (env = {}, limits = {}) => {
    const settings = withApiLimits({ SIGN_UP: 'open', ...env }, patient);
    const { url } = apis.use(await access.startApi(withApiLimits(settings, limits)));
    return url.replace('127.0.0.1', 'localhost');
  };
  const origin = await startApi();
  const owned = resources.move();
  return {
    access,
    origin,
    startApi,
    visitor: (at = origin) => newBrowser(at),
    member: (at = origin) => newMember(at),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function newMember(origin: string): Promise<Member> {
  const client = newBrowser(origin);
  const wallet = newWallet();
  const { account, session } = (await signInWith(client, wallet)).data;
  return {
    client,
    wallet,
    accountId: account.id,
    sessionId: session.id,
    confirm: async () => client.post('session/confirmation', { wallet: await signedBy(client, wallet, 'confirm') }),
  };
}
