import { useState } from 'preact/hooks';
import type { Passkey, Security, Wallet } from '../../../../src/account/answers.ts';
import { getSecurity, removePasskey, removeWallet } from '../../api.ts';
import type { AccountPageProps } from '../../lib/lazy-page.tsx';
import { announce, LoadedPart, PageHeading } from '../parts.tsx';
import { useLoaded } from '../use-request.ts';
import { shortAddress } from '../words.ts';
import { Passkeys, Wallets } from './credentials.tsx';
import { AddPasskeyDialog, AddWalletDialog, ProofDialog } from './dialogs.tsx';
import { Events } from './events.tsx';
import { Sessions } from './sessions.tsx';

type Open =
  | { readonly dialog: 'add-wallet' | 'add-passkey' }
  | { readonly dialog: 'remove-wallet'; readonly wallet: Wallet }
  | { readonly dialog: 'remove-passkey'; readonly passkey: Passkey }
  | null;

/** The account's credentials, open sessions and events. */
export function SecurityPage({ session }: AccountPageProps) {
  const security = useLoaded(getSecurity);
  const [open, setOpen] = useState<Open>(null);
  // Changes make events: counted, so that their list is loaded again.
  const [changes, setChanges] = useState(0);
  const close = () => setOpen(null);
  const onChanged = (done: string) => {
    announce(done);
    close();
    setChanges((count) => count + 1);
    security.reload();
  };
  return (
    <>
      <PageHeading title="Security">Sign-in methods, active sessions and recent events.</PageHeading>
      <LoadedPart loaded={security} lines={8}>
        {(data) => (
          <>
            <Wallets
              wallets={data.wallets}
              canRemove={canRemove(data)}
              onAdd={() => setOpen({ dialog: 'add-wallet' })}
              onRemove={(wallet) => setOpen({ dialog: 'remove-wallet', wallet })}
            />
            <Passkeys
              passkeys={data.passkeys}
              offered={session.sign_in.passkeys}
              canRemove={canRemove(data)}
              onAdd={() => setOpen({ dialog: 'add-passkey' })}
              onRemove={(passkey) => setOpen({ dialog: 'remove-passkey', passkey })}
            />
            <Sessions sessions={data.sessions} onChanged={() => onChanged('The session was revoked.')} />
            <OpenDialog open={open} session={session} security={data} onClose={close} onChanged={onChanged} />
          </>
        )}
      </LoadedPart>
      <Events changes={changes} />
    </>
  );
}

/** An account keeps its last credential. */
function canRemove({ wallets, passkeys }: Security): boolean {
  return wallets.length + passkeys.length > 1;
}

interface OpenDialogProps extends Pick<AccountPageProps, 'session'> {
  readonly open: Open;
  readonly security: Security;
  readonly onClose: () => void;
  readonly onChanged: (done: string) => void;
}

function OpenDialog({ open, onChanged, ...rest }: OpenDialogProps) {
  switch (open?.dialog) {
    case undefined:
      return null;
    case 'add-wallet':
      return <AddWalletDialog {...rest} onAdded={() => onChanged('The wallet was added.')} />;
    case 'add-passkey':
      return <AddPasskeyDialog {...rest} onAdded={() => onChanged('The passkey was added.')} />;
    case 'remove-wallet':
      return (
        <ProofDialog
          {...rest}
          title="Remove this wallet?"
          onProven={async () => {
            await removeWallet(open.wallet.id);
            onChanged('The wallet was removed.');
          }}
        >
          <p>
            <code>{shortAddress(open.wallet.address)}</code> will no longer sign in here, and its payments are no longer
            shown.
          </p>
        </ProofDialog>
      );
    case 'remove-passkey':
      return (
        <ProofDialog
          {...rest}
          title={`Remove the passkey ${open.passkey.name}?`}
          onProven={async () => {
            await removePasskey(open.passkey.id);
            onChanged('The passkey was removed.');
          }}
        >
          <p>It will no longer sign in here. Delete it on your device, too.</p>
        </ProofDialog>
      );
    default:
      return open satisfies never;
  }
}
