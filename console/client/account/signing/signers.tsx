import { useEffect, useState } from 'preact/hooks';
import type { Purpose, SessionState } from '../../../../src/account/answers.ts';
import { initials } from '../../../shared/record.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { ErrorNote } from '../../../shared/ui/notes.tsx';
import { useAction } from '../use-request.ts';
import { signWithPasskey } from './passkeys.ts';
import type { WalletOption } from './wallet-list.ts';
import type { Proof } from './wallets.ts';
import { discoverWallets, signWithWallet } from './wallets.ts';

interface SignersProps {
  readonly session: SessionState;
  readonly purpose: Purpose;
  /** The token of the invitation to accept. */
  readonly invitation?: string;
  readonly onSigned: (proof: Proof) => Promise<void>;
  /** The label of the button for a passkey; none if passkeys do not work here. */
  readonly passkey?: string | null;
}

/** Lists the ways to sign: wallets of this browser, the demo wallet and a passkey. */
export function Signers({ session, purpose, invitation, onSigned, passkey = null }: SignersProps) {
  const wallets = useWallets(session.sign_in.wallets);
  const { busy, error, run, cancel } = useAction();
  const [way, setWay] = useState('');
  const chosen = busy ? way : null;
  /** Asks for a proof. Drops the one that was asked for before, because a wallet may never answer. */
  const sign = (id: string, prove: () => Promise<Proof>) => {
    cancel();
    setWay(id);
    void run(async (isCurrent) => {
      const proof = await prove();
      if (isCurrent()) await onSigned(proof);
    });
  };
  const withWallet = async (wallet: WalletOption) => ({ wallet: await signWithWallet(wallet, purpose, invitation) });
  const demo = session.sign_in.wallets ? session.demo_wallet : null;
  return (
    <div class="signers">
      {error !== null && <ErrorNote>{error}</ErrorNote>}
      <ul class="signer-list">
        {wallets?.map((wallet) => (
          <li key={wallet.id}>
            <Signer
              name={wallet.name}
              busy={chosen === wallet.id}
              onChoose={() => sign(wallet.id, () => withWallet(wallet))}
            />
          </li>
        ))}
        {demo !== null && (
          <li>
            <Signer
              name="Use the demo wallet"
              letters="▶"
              hint="For testing only: its key is public"
              busy={chosen === 'demo'}
              onChoose={() => sign('demo', async () => withWallet(await demoWallet(demo.private_key)))}
            />
          </li>
        )}
      </ul>
      {demo === null && wallets?.length === 0 && <p class="muted">No wallet was found in this browser.</p>}
      {chosen !== null && chosen !== 'passkey' && chosen !== 'demo' && (
        <div class="signer-wait" role="status">
          <p>Sign the message in your wallet.</p>
          <Button small tone="quiet" onClick={cancel}>
            Cancel
          </Button>
        </div>
      )}
      {passkey !== null && (
        <Button
          class="signer-passkey"
          busy={chosen === 'passkey'}
          onClick={() => sign('passkey', async () => ({ passkey: { response: await signWithPasskey(purpose) } }))}
        >
          {passkey}
        </Button>
      )}
    </div>
  );
}

interface SignerProps {
  readonly name: string;
  readonly letters?: string;
  readonly hint?: string;
  readonly busy: boolean;
  readonly onChoose: () => void;
}

function Signer({ name, letters = initials(name), hint, busy, onChoose }: SignerProps) {
  return (
    <Button class="signer" busy={busy} onClick={onChoose}>
      <span class="signer-letters" aria-hidden="true">
        {letters}
      </span>
      <span class="signer-name">
        {name}
        {hint !== undefined && <span class="signer-hint">{hint}</span>}
      </span>
    </Button>
  );
}

/** Loads the demo wallet in a separate script, which is larger than all pages together. */
async function demoWallet(privateKey: string): Promise<WalletOption> {
  const { demoProvider } = await import('./demo-wallet.ts');
  return { id: 'demo', name: 'The demo wallet', provider: demoProvider(privateKey) };
}

/** Returns null until the wallets have announced themselves, and if wallets do not work here. */
function useWallets(wanted: boolean): readonly WalletOption[] | null {
  const [wallets, setWallets] = useState<readonly WalletOption[] | null>(null);
  useEffect(() => (wanted ? discoverWallets(setWallets) : undefined), [wanted]);
  return wallets;
}
