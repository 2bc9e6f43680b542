import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Security, SignedIn } from '../../../../src/account/answers.ts';
import { post, remove } from '../../../shared/account-api.ts';
import { Dialog } from '../../../shared/ui/dialog.tsx';
import { PasskeyForm } from '../signing/passkey-form.tsx';
import { Signers } from '../signing/signers.tsx';
import type { Credential, Kind } from './credentials.tsx';

interface DialogProps {
  readonly session: SignedIn;
  readonly security: Security;
  readonly onClose: () => void;
  /** @param done a sentence about the change */
  readonly onChanged: (done: string) => void;
}

interface ProofDialogProps extends Omit<DialogProps, 'onChanged'> {
  readonly title: string;
  /** The change that follows, and the reason for the signature. */
  readonly children: ComponentChildren;
  /** Makes the one change that the signature allows. */
  readonly onProven: () => Promise<void>;
}

function ProofDialog({ session, security, title, children, onClose, onProven }: ProofDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <p>Confirm your identity: sign with any wallet or passkey of this account.</p>
      <Signers
        session={session}
        purpose="confirm"
        passkey={security.passkeys.length > 0 ? 'Confirm with a passkey' : null}
        onSigned={async (proof) => {
          await post('session/confirmation', proof);
          await onProven();
        }}
      />
    </Dialog>
  );
}

/** Asks for a signature of an existing credential, then for the new credential. */
export function AddDialog({ kind, onChanged, ...rest }: DialogProps & { readonly kind: Kind }) {
  const [proven, setProven] = useState(false);
  const title = `Add a ${kind}`;
  const add = async (credential: object) => {
    await post(`${kind}s`, credential);
    onChanged(`The ${kind} was added.`);
  };
  if (!proven)
    return (
      <ProofDialog {...rest} title={title} onProven={async () => setProven(true)}>
        <p>
          Step 1 of 2.{' '}
          {kind === 'wallet'
            ? 'The new wallet signs in the next step.'
            : 'Your browser creates the passkey in the next step.'}
        </p>
      </ProofDialog>
    );
  const { session, onClose } = rest;
  return (
    <Dialog title={title} onClose={onClose}>
      {kind === 'wallet' ? (
        <>
          <p>Step 2 of 2. Choose the new account in your wallet, then sign with it. It will sign in to this account.</p>
          <Signers
            session={session}
            purpose="add"
            onSigned={(proof) => add('wallet' in proof ? proof.wallet : proof.passkey)}
          />
        </>
      ) : (
        <>
          <p>Step 2 of 2. Enter a name, then follow the steps in your browser.</p>
          <PasskeyForm hint="For example, “work laptop”." submit="Create passkey" onCreated={add} onCancel={onClose} />
        </>
      )}
    </Dialog>
  );
}

export function RemoveDialog({
  credential: { kind, id, name },
  onChanged,
  ...rest
}: DialogProps & { readonly credential: Credential }) {
  return (
    <ProofDialog
      {...rest}
      title={`Remove the ${kind} ${name}?`}
      onProven={async () => {
        await remove(`${kind}s/${id}`);
        onChanged(`The ${kind} was removed.`);
      }}
    >
      <p>
        It will no longer sign in here.{' '}
        {kind === 'wallet' ? 'Its payments are no longer shown.' : 'Delete it on your device, too.'}
      </p>
    </ProofDialog>
  );
}
