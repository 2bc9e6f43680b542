import type { AccountEvent } from '../../../../src/account/answers.ts';
import { Table } from '../../../shared/ui/table.tsx';
import { getEvents } from '../../api.ts';
import { LoadedPart, LoadMore, Section, Time } from '../parts.tsx';
import { useMore } from '../use-request.ts';
import { actorWord, eventDetail, eventPlace, eventWord } from '../words.ts';

/** @param changes a counter that reloads the list */
export function Events({ changes }: { readonly changes: number }) {
  const more = useMore<AccountEvent, string>(async (before) => {
    const { events, next } = await getEvents(before);
    return { rows: events, next };
  }, changes);
  return (
    <Section title="Recent events">
      <LoadedPart loaded={more.first} lines={6}>
        {() => (
          <>
            <Table
              stacks
              caption="Recent events"
              rows={more.rows}
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
                { head: 'User', cell: (event) => <span title={event.actor}>{actorWord(event)}</span> },
                { head: 'Time', cell: ({ at }) => <Time at={at} exact /> },
                { head: 'From', cell: (event) => <EventPlace event={event} /> },
              ]}
            />
            <LoadMore more={more} />
          </>
        )}
      </LoadedPart>
    </Section>
  );
}

function EventPlace({ event }: { readonly event: AccountEvent }) {
  const place = eventPlace(event);
  return place === null ? <span class="muted">Command line</span> : <code>{place}</code>;
}
