import { useState } from 'preact/hooks';
import type { SessionEntry, SignInMethod } from '../../../../src/account/answers.ts';
import { post, remove } from '../../../shared/account-api.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Badge } from '../../../shared/ui/chip.tsx';
import { Table } from '../../../shared/ui/table.tsx';
import { refreshSession } from '../../session.ts';
import { ConfirmDialog, Section, Time } from '../parts.tsx';
import { browserWord } from '../words.ts';

const methods: Readonly<Record<SignInMethod, string>> = {
  wallet: 'Wallet',
  passkey: 'Passkey',
  invitation: 'Invitation',
};

interface SessionsProps {
  readonly sessions: readonly SessionEntry[];
  /** Called when one of them was revoked. */
  readonly onChanged: () => void;
}

export function Sessions({ sessions, onChanged }: SessionsProps) {
  const [open, setOpen] = useState<SessionEntry | 'everywhere' | null>(null);
  const close = () => setOpen(null);
  return (
    <Section title="Sessions" action={<Button onClick={() => setOpen('everywhere')}>Sign out everywhere</Button>}>
      <Table
        caption="Sessions"
        rows={sessions}
        rowKey={({ id }) => id}
        columns={[
          {
            head: 'Browser',
            names: true,
            cell: ({ user_agent, current, ip, method }) => (
              <>
                <span title={user_agent}>{browserWord(user_agent)}</span>{' '}
                {current && <Badge tone="accent">This browser</Badge>}
                <span class="below">
                  {methods[method]}, <code>{ip}</code>
                </span>
              </>
            ),
          },
          { head: 'Signed in', cell: ({ created_at }) => <Time at={created_at} /> },
          { head: 'Last seen', cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
          { head: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} /> },
        ]}
        actions={(entry) =>
          !entry.current && (
            <Button
              small
              tone="danger"
              aria-label={`Revoke ${browserWord(entry.user_agent)}`}
              onClick={() => setOpen(entry)}
            >
              Revoke
            </Button>
          )
        }
      />
      {open === 'everywhere' && (
        <ConfirmDialog
          title="Sign out everywhere?"
          label="Sign out everywhere"
          onClose={close}
          onConfirm={async () => {
            await post('sign-out-everywhere');
            await refreshSession();
          }}
        >
          <p>You are signed out in every browser, including this one. Your keys keep working.</p>
        </ConfirmDialog>
      )}
      {open !== null && open !== 'everywhere' && (
        <ConfirmDialog
          title="Revoke this session?"
          label="Revoke"
          onClose={close}
          onConfirm={async () => {
            await remove(`sessions/${open.id}`);
            onChanged();
          }}
        >
          <p>
            {browserWord(open.user_agent)} at {open.ip} is signed out at once.
          </p>
        </ConfirmDialog>
      )}
    </Section>
  );
}
