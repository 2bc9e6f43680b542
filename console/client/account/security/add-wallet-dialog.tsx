import { useState } from 'preact/hooks';
import type { Security, SignedIn } from '../../../../src/account/answers.ts';
import { Dialog } from '../../../shared/ui/dialog.tsx';
import { addWallet } from '../../api.ts';
import { Signers } from '../signing/signers.tsx';
import { ProofDialog } from './proof-dialog.tsx';

interface AddWalletDialogProps {
  readonly session: SignedIn;
  readonly security: Security;
  readonly onClose: () => void;
  readonly onAdded: () => void;
}

/** Two signatures: of a way in that the account has, then of the wallet that is added. */
export function AddWalletDialog({ session, security, onClose, onAdded }: AddWalletDialogProps) {
  const [proven, setProven] = useState(false);
  if (!proven)
    return (
      <ProofDialog
        session={session}
        security={security}
        title="Add a wallet"
        onClose={onClose}
        onProven={async () => setProven(true)}
      >
        <p>Step 1 of 2. After this, the wallet that you add signs, too.</p>
      </ProofDialog>
    );
  return (
    <Dialog title="Add a wallet" open onClose={onClose}>
      <p>Step 2 of 2. Choose the new account in your wallet, then sign with it. It will sign in to this account.</p>
      <Signers
        session={session}
        purpose="add"
        onSigned={async (signed) => {
          await addWallet(signed);
          onAdded();
        }}
        none="No wallet was found in this browser."
      />
    </Dialog>
  );
}
