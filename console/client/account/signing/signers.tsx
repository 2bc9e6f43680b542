import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../../shared/ui/button.tsx';
import { ErrorNote } from '../../../shared/ui/notes.tsx';
import type { Purpose, SessionState, SignedMessage } from '../../api-types.ts';
import { useAction } from '../use-request.ts';
import { initials, type WalletOption } from './wallet-list.ts';
import { discoverWallets, signWithWallet } from './wallets.ts';

interface SignersProps {
  readonly session: SessionState;
  readonly purpose: Purpose;
  /** What is done with the signature. */
  readonly onSigned: (signed: SignedMessage) => Promise<void>;
  /** Makes or uses a passkey, to the end; none where passkeys are no way. */
  readonly passkey?: { readonly label: string; readonly onUse: () => Promise<void> } | undefined;
  /** Said where no wallet was found. */
  readonly none: ComponentChildren;
}

/** Every way to sign here: the wallets of this browser, the demo's, and a passkey. */
export function Signers({ session, purpose, onSigned, passkey, none }: SignersProps) {
  const wallets = useWallets(session.sign_in.wallets);
  const { busy, error, run } = useAction();
  const [chosen, setChosen] = useState('');
  const choose = (id: string, change: () => Promise<void>) => {
    setChosen(id);
    return run(change);
  };
  const sign = (wallet: WalletOption) => async () => onSigned(await signWithWallet(wallet, purpose));
  const demo = session.sign_in.wallets ? session.demo_wallet : null;
  return (
    <div class="signers">
      {error !== null && <ErrorNote>{error}</ErrorNote>}
      <ul class="signer-list">
        {wallets?.map((wallet) => (
          <li key={wallet.id}>
            <Signer
              name={wallet.name}
              busy={busy && chosen === wallet.id}
              onChoose={() => choose(wallet.id, sign(wallet))}
            />
          </li>
        ))}
        {demo !== null && (
          <li>
            <Signer
              name="Use the demo wallet"
              letters="▶"
              hint="Play money, the same key for everybody"
              busy={busy && chosen === 'demo'}
              onChoose={() => choose('demo', async () => sign(await demoWallet(demo.private_key))())}
            />
          </li>
        )}
      </ul>
      {session.sign_in.wallets && wallets?.length === 0 && <p class="muted">{none}</p>}
      {busy && chosen !== 'passkey' && chosen !== 'demo' && (
        <p class="signer-wait" role="status">
          Look for the window of your wallet, read the message there and sign it.
        </p>
      )}
      {passkey !== undefined && (
        <Button
          tone="secondary"
          class="signer-passkey"
          busy={busy && chosen === 'passkey'}
          onClick={() => choose('passkey', passkey.onUse)}
        >
          {passkey.label}
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

/** The demo's wallet in a script of its own: its curve weighs more than all pages together. */
async function demoWallet(privateKey: `0x${string}`): Promise<WalletOption> {
  const { demoProvider } = await import('./demo-wallet.ts');
  return { id: 'demo', name: 'The demo wallet', provider: demoProvider(privateKey) };
}

/** Null until there was time to look, and where no wallet can sign. */
function useWallets(wanted: boolean): readonly WalletOption[] | null {
  const [wallets, setWallets] = useState<readonly WalletOption[] | null>(null);
  useEffect(() => (wanted ? discoverWallets(setWallets) : undefined), [wanted]);
  return wallets;
}
