import type { ComponentChildren } from 'preact';
import type { Security, SignedIn } from '../../../../src/account/answers.ts';
import { Dialog } from '../../../shared/ui/dialog.tsx';
import { confirmSession } from '../../api.ts';
import { Signers } from '../signing/signers.tsx';

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
