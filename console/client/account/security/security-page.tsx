import { useState } from 'preact/hooks';
import type { Events as AccountEvents, Security } from '../../../../src/account/answers.ts';
import { get } from '../../../shared/account-api.ts';
import { Table } from '../../../shared/ui/table.tsx';
import type { AccountPageProps } from '../../lib/page-props.ts';
import { announce, LoadedList, LoadedPart, PageHeading, Section, Time } from '../parts.tsx';
import { useLoaded, useMore } from '../use-request.ts';
import { actorWord, eventDetail, eventWord } from '../words.ts';
import { type Credential, Credentials, type Kind } from './credentials.tsx';
import { AddDialog, RemoveDialog } from './dialogs.tsx';
import { Sessions } from './sessions.tsx';

/** The open dialog: a kind of credential to add, or a credential to remove. */
type Open = Kind | Credential | null;

/** The account's credentials, open sessions and events. */
export function SecurityPage({ session }: AccountPageProps) {
  const security = useLoaded(() => get<Security>('security'));
  const [open, setOpen] = useState<Open>(null);
  // Changes make events: counted, so that their list is loaded again.
  const [changes, setChanges] = useState(0);
  const onChanged = (done: string) => {
    announce(done);
    setOpen(null);
    setChanges((count) => count + 1);
    security.reload();
  };
  return (
    <>
      <PageHeading title="Security">Sign-in methods, active sessions and recent events.</PageHeading>
      <LoadedPart loaded={security} lines={8}>
        {(data) => {
          const dialog = { session, security: data, onClose: () => setOpen(null), onChanged };
          return (
            <>
              <Credentials
                security={data}
                passkeysOffered={session.sign_in.passkeys}
                onAdd={setOpen}
                onRemove={setOpen}
              />
              <Sessions sessions={data.sessions} onChanged={() => onChanged('The session was revoked.')} />
              {typeof open === 'string' && <AddDialog {...dialog} kind={open} />}
              {open !== null && typeof open === 'object' && <RemoveDialog {...dialog} credential={open} />}
              <Events changes={changes} />
            </>
          );
        }}
      </LoadedPart>
    </>
  );
}

/** @param changes a counter that reloads the list */
function Events({ changes }: { readonly changes: number }) {
  const more = useMore('events?limit=20', 'before', ({ events }: AccountEvents) => events, changes);
  return (
    <Section title="Recent events">
      <LoadedList more={more}>
        {(rows) => (
          <Table
            caption="Recent events"
            rows={rows}
            rowKey={({ id }) => id}
            empty="No events yet"
            columns={[
              {
                head: 'Event',
                names: true,
                cell: (event) => (
                  <>
                    {eventWord(event)}
                    {eventDetail(event) !== '' && <span class="below">{eventDetail(event)}</span>}
                  </>
                ),
              },
              { head: 'By', cell: (event) => <span title={event.actor}>{actorWord(event)}</span> },
              { head: 'Time', cell: ({ at }) => <Time at={at} /> },
              {
                head: 'IP address',
                cell: ({ ip }) => (ip === null ? <span class="muted">Command line</span> : <code>{ip}</code>),
              },
            ]}
          />
        )}
      </LoadedList>
    </Section>
  );
}
