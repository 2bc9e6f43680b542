import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Security, SignedIn } from '../../../../src/account/answers.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Dialog } from '../../../shared/ui/dialog.tsx';
import { addPasskey, addWallet, confirmSession } from '../../api.ts';
import { Signers } from '../signing/signers.tsx';
import { usePasskeyForm } from '../signing/use-passkey-form.tsx';

interface ProofDialogProps {
  readonly session: SignedIn;
  readonly security: Security;
  readonly title: string;
  /** The change that follows, and the reason for the signature. */
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  /** Makes the one change that the signature allows. */
  readonly onProven: () => Promise<void>;
}

export function ProofDialog({ session, security, title, children, onClose, onProven }: ProofDialogProps) {
  return (
    <Dialog title={title} open onClose={onClose}>
      {children}
      <p>Confirm your identity: sign with any wallet or passkey of this account.</p>
      <Signers
        session={session}
        purpose="confirm"
        onSigned={async (wallet) => {
          await confirmSession({ wallet });
          await onProven();
        }}
        passkey={
          security.passkeys.length > 0
            ? {
                label: 'Confirm with a passkey',
                purpose: 'confirm',
                onSigned: async (response) => {
                  await confirmSession({ passkey: { response } });
                  await onProven();
                },
              }
            : undefined
        }
      />
    </Dialog>
  );
}

interface AddDialogProps {
  readonly session: SignedIn;
  readonly security: Security;
  readonly onClose: () => void;
  readonly onAdded: () => void;
}

/** Asks for a signature of an existing credential, then for one of the new wallet. */
export function AddWalletDialog({ session, security, onClose, onAdded }: AddDialogProps) {
  const [proven, setProven] = useState(false);
  const prove = { session, security, onClose, onProven: async () => setProven(true) };
  if (!proven)
    return (
      <ProofDialog {...prove} title="Add a wallet">
        <p>Step 1 of 2. The new wallet signs in the next step.</p>
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
      />
    </Dialog>
  );
}

/** Asks for a signature of an existing credential, then for the name of the new passkey. */
export function AddPasskeyDialog({ session, security, onClose, onAdded }: AddDialogProps) {
  const [proven, setProven] = useState(false);
  const prove = { session, security, onClose, onProven: async () => setProven(true) };
  if (proven) return <NewPasskey onClose={onClose} onAdded={onAdded} />;
  return (
    <ProofDialog {...prove} title="Add a passkey">
      <p>Step 1 of 2. Your browser creates the passkey in the next step.</p>
    </ProofDialog>
  );
}

function NewPasskey({ onClose, onAdded }: Pick<AddDialogProps, 'onClose' | 'onAdded'>) {
  const formId = useId();
  const { content, busy, onSubmit } = usePasskeyForm({
    label: 'Name',
    hint: 'Such as “work laptop”.',
    onCreated: async (name, response) => {
      await addPasskey(name, response);
      onAdded();
    },
  });
  return (
    <Dialog
      title="Add a passkey"
      open
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} tone="primary" busy={busy}>
            Create passkey
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={onSubmit} noValidate>
        <p>Step 2 of 2. Enter a name, then follow the steps in your browser.</p>
        {content}
      </form>
    </Dialog>
  );
}
