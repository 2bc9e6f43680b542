import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { AccountKey, CreatedKey, Keys, RotatedKey } from '../../../../src/account/answers.ts';
import { get, post, remove } from '../../../shared/account-api.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { CodeBlock } from '../../../shared/ui/code-block.tsx';
import { Dialog } from '../../../shared/ui/dialog.tsx';
import { SelectField } from '../../../shared/ui/field.tsx';
import { NameForm } from '../name-form.tsx';
import { announce, ConfirmDialog, LoadedPart, PageHeading, Time } from '../parts.tsx';
import { useLoaded } from '../use-request.ts';
import { CreateKeyForm, keyNaming } from './create-key-form.tsx';
import { KeyTable } from './key-table.tsx';

/** A new key, and the key that it replaces. */
interface Made {
  readonly created: CreatedKey;
  readonly replaces?: AccountKey | undefined;
}

/** Shows a new key once. It is not in a dialog, so that a stray Escape does not lose it. */
function NewKey({ created, replaces, onDone }: Made & { readonly onDone: () => void }) {
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // After the dialog has given the focus back to the button that opened it.
    const frame = requestAnimationFrame(() => heading.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <section class="new-key" aria-labelledby={id}>
      <h2 id={id} ref={heading} tabIndex={-1}>
        Copy your new key now
      </h2>
      <p>
        You cannot see the key <strong>{created.name}</strong> again after this.
      </p>
      <CodeBlock code={created.key} what="key" />
      {replaces !== undefined && (
        <p>
          The old key <code>{replaces.prefix}…</code>{' '}
          {replaces.state === 'live' && replaces.expires_at !== null ? (
            <>
              works until <Time at={replaces.expires_at} exact />.
            </>
          ) : (
            'has stopped working.'
          )}
        </p>
      )}
      <p>Try it in a terminal:</p>
      <CodeBlock code={curlLine(created.key)} what="curl command" />
      <p class="muted">
        Store the key on your server, never in a web page, an app or a repository. If it leaks, rotate or revoke it
        immediately.
      </p>
      <div class="new-key-done">
        <Button onClick={onDone}>Done</Button>
      </div>
    </section>
  );
}

function curlLine(key: string): string {
  return `curl -s -H 'Authorization: Bearer ${key}' \\\n  '${location.origin}/api/v1/search?type=companies&query=exchange&limit=3'`;
}

const overlaps = [
  [0, 'Immediately'],
  [1, 'In 1 hour'],
  [24, 'In 24 hours'],
  [72, 'In 3 days'],
  [168, 'In 7 days'],
  [720, 'In 30 days'],
] as const;

interface KeyDialogProps {
  readonly apiKey: AccountKey;
  readonly onClose: () => void;
}

function RotateKeyDialog({
  apiKey,
  onClose,
  onRotated,
}: KeyDialogProps & { readonly onRotated: (made: Made) => void }) {
  const [hours, setHours] = useState(24);
  return (
    <ConfirmDialog
      title={`Rotate ${apiKey.name}?`}
      label="Rotate"
      tone="primary"
      onClose={onClose}
      onConfirm={async () => {
        const { replaces, ...created } = await post<RotatedKey>(`keys/${apiKey.id}/rotation`, { overlap_hours: hours });
        onRotated({ created, replaces });
      }}
    >
      <p>
        You get a new key with the same name. Replace <code>{apiKey.prefix}…</code> in your programs while both work.
      </p>
      <SelectField
        label="Old key expires"
        hint="If the old key has leaked, choose “Immediately”."
        value={hours}
        choices={overlaps}
        onValue={(value) => setHours(Number(value))}
      />
    </ConfirmDialog>
  );
}

/** The open dialog and its key. */
type Open =
  | { readonly dialog: 'create' }
  | { readonly dialog: 'rename' | 'rotate' | 'revoke'; readonly apiKey: AccountKey }
  | null;

interface RevokeKeyDialogProps extends KeyDialogProps {
  readonly path: string;
  readonly onRevoked: () => void;
  readonly children: ComponentChildren;
}

export function RevokeKeyDialog({ apiKey, path, onClose, onRevoked, children }: RevokeKeyDialogProps) {
  return (
    <ConfirmDialog
      title={`Revoke ${apiKey.name}?`}
      label="Revoke"
      onClose={onClose}
      onConfirm={async () => {
        await remove(path);
        announce(`The key ${apiKey.name} was revoked.`);
        onRevoked();
      }}
    >
      <p>{children}</p>
    </ConfirmDialog>
  );
}

export function KeysPage() {
  const keys = useLoaded(() => get<Keys>('keys'));
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
  const onRevoked = () => {
    if (open?.dialog === 'revoke' && open.apiKey.id === made?.created.id) setMade(null);
    keys.reload();
  };
  // An account without keys sees the form at once.
  const replaced = keys.data?.keys.find(({ id }) => id === made?.replaces?.id);
  const hasKeys = (keys.data?.keys.length ?? 0) > 0;
  return (
    <>
      <PageHeading title="Keys" action={hasKeys ? create : undefined}>
        Keys give your programs access to the API. All keys share the limits of your plan.
      </PageHeading>
      {made !== null && (
        <NewKey key={made.created.id} {...made} replaces={replaced ?? made.replaces} onDone={() => setMade(null)} />
      )}
      <LoadedPart loaded={keys}>
        {({ keys: rows }) =>
          rows.length === 0 ? (
            <section class="first-key" aria-labelledby="first-key">
              <h2 id="first-key">Create your first key</h2>
              <p>Your programs send it with every request.</p>
              <CreateKeyForm suggested="First key" onCreated={(created) => onMade({ created })} />
            </section>
          ) : (
            <KeyTable
              keys={rows}
              onRename={(apiKey) => setOpen({ dialog: 'rename', apiKey })}
              onRotate={(apiKey) => setOpen({ dialog: 'rotate', apiKey })}
              onRevoke={(apiKey) => setOpen({ dialog: 'revoke', apiKey })}
            />
          )
        }
      </LoadedPart>
      {open?.dialog === 'create' && (
        <Dialog title="Create key" onClose={close}>
          <CreateKeyForm onCancel={close} onCreated={(created) => onMade({ created })} />
        </Dialog>
      )}
      {open?.dialog === 'rename' && (
        <Dialog title={`Rename ${open.apiKey.name}`} onClose={close}>
          <NameForm
            {...keyNaming}
            suggested={open.apiKey.name}
            submit="Rename"
            onCancel={close}
            onSubmit={async (name) => {
              await post(`keys/${open.apiKey.id}/name`, { name });
              announce(`The key is now called ${name}.`);
              close();
              keys.reload();
            }}
          />
        </Dialog>
      )}
      {open?.dialog === 'rotate' && <RotateKeyDialog apiKey={open.apiKey} onClose={close} onRotated={onMade} />}
      {open?.dialog === 'revoke' && (
        <RevokeKeyDialog apiKey={open.apiKey} path={`keys/${open.apiKey.id}`} onClose={close} onRevoked={onRevoked}>
          Programs that use <code>{open.apiKey.prefix}…</code> stop working within 5 seconds. This cannot be undone. To
          replace a key without downtime, rotate it instead.
        </RevokeKeyDialog>
      )}
    </>
  );
}
