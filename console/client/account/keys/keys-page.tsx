import { useState } from 'preact/hooks';
import type { AccountKey, CreatedKey } from '../../../../src/account/answers.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Dialog } from '../../../shared/ui/dialog.tsx';
import { getKeys, revokeKey } from '../../api.ts';
import { announce } from '../announcements.ts';
import { PageHeading } from '../heading.tsx';
import type { AccountPageProps } from '../page-props.ts';
import { ConfirmDialog, LoadedPart } from '../parts.tsx';
import { useLoaded } from '../use-request.ts';
import { CreateKeyForm } from './create-key-form.tsx';
import { KeyTable } from './key-table.tsx';
import { NewKey } from './new-key.tsx';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';

/** The open dialog and its key. */
type Open =
  | { readonly dialog: 'create' }
  | { readonly dialog: 'rotate' | 'revoke'; readonly apiKey: AccountKey }
  | null;

/** A new key, and the key that it replaces. */
interface Made {
  readonly created: CreatedKey;
  readonly replaces?: AccountKey;
}

export function KeysPage({ session }: AccountPageProps) {
  const keys = useLoaded(getKeys);
  const [open, setOpen] = useState<Open>(null);
  const [made, setMade] = useState<Made | null>(null);
  const close = () => setOpen(null);
  const onMade = (next: Made) => {
    setMade(next);
    close();
    keys.reload();
  };
  const create = (
    <Button tone="primary" onClick={() => setOpen({ dialog: 'create' })}>
      Create key
    </Button>
  );
  // An account without keys sees the form at once.
  const hasKeys = (keys.data?.keys.length ?? 0) > 0;
  return (
    <>
      <PageHeading title="Keys" action={hasKeys ? create : undefined}>
        Keys give your programs access to the API. All keys share the limits of your plan, {session.account.plan}.
      </PageHeading>
      {made !== null && <NewKey key={made.created.id} {...made} onDone={() => setMade(null)} />}
      <LoadedPart loaded={keys}>
        {({ keys: rows }) =>
          rows.length === 0 ? (
            <section class="first-key" aria-labelledby="first-key">
              <h2 id="first-key">Create your first key</h2>
              <p>Copy the key when it is shown, and send it with each request.</p>
              <CreateKeyForm suggestedName="First key" onCreated={(created) => onMade({ created })} />
            </section>
          ) : (
            <KeyTable
              keys={rows}
              onRotate={(apiKey) => setOpen({ dialog: 'rotate', apiKey })}
              onRevoke={(apiKey) => setOpen({ dialog: 'revoke', apiKey })}
            />
          )
        }
      </LoadedPart>
      {open?.dialog === 'create' && (
        <Dialog title="Create key" open onClose={close}>
          <CreateKeyForm onCancel={close} onCreated={(created) => onMade({ created })} />
        </Dialog>
      )}
      {open?.dialog === 'rotate' && <RotateKeyDialog apiKey={open.apiKey} onClose={close} onRotated={onMade} />}
      {open?.dialog === 'revoke' && (
        <ConfirmDialog
          title={`Revoke ${open.apiKey.name}?`}
          label="Revoke"
          onClose={close}
          onConfirm={async () => {
            await revokeKey(open.apiKey.id);
            announce(`The key ${open.apiKey.name} was revoked.`);
            keys.reload();
          }}
        >
          <p>
            Programs that use <code>{open.apiKey.prefix}…</code> are refused within 5 seconds. This cannot be undone; to
            change a key without a break, rotate it.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
