import type { Events as AccountEvents } from '../../../../src/account/answers.ts';
import { Table } from '../../../shared/ui/table.tsx';
import { LoadedList, Section, Time } from '../parts.tsx';
import { useMore } from '../use-request.ts';
import { actorWord, eventDetail, eventWord } from '../words.ts';

/** @param changes a counter that reloads the list */
export function Events({ changes }: { readonly changes: number }) {
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
