import type { AccountEvent } from '../../../../src/account/answers.ts';
import { Table } from '../../../shared/ui/table.tsx';
import { getEvents } from '../../api.ts';
import { LoadedPart, LoadMore, Section, Time } from '../parts.tsx';
import { useMore } from '../use-more.ts';
import { useLoaded } from '../use-request.ts';
import { actorWord, eventDetail, eventPlace, eventWord } from './event-words.ts';

/** @param changes loads the list again when it grows */
export function Events({ changes }: { readonly changes: number }) {
  const first = useLoaded(() => getEvents(), changes);
  return (
    <Section title="Recent events">
      <LoadedPart loaded={first} lines={6}>
        {({ events, next }) =>
          events.length === 0 ? <p class="muted">Nothing yet.</p> : <EventList first={events} next={next} />
        }
      </LoadedPart>
    </Section>
  );
}

interface EventListProps {
  readonly first: readonly AccountEvent[];
  readonly next: string | null;
}

function EventList({ first, next }: EventListProps) {
  const more = useMore(first, next, async (before) => {
    const page = await getEvents(before);
    return { rows: page.events, next: page.next };
  });
  return (
    <>
      <Table
        stacks
        caption="Recent events"
        rows={more.rows}
        rowKey={({ id }) => id}
        columns={[
          {
            head: 'What',
            names: true,
            cell: (event) => (
              <>
                {eventWord(event)}
                {eventDetail(event) !== '' && <span class="below">{eventDetail(event)}</span>}
              </>
            ),
          },
          { head: 'Who', cell: (event) => <span title={event.actor}>{actorWord(event)}</span> },
          { head: 'When', cell: ({ at }) => <Time at={at} exact /> },
          { head: 'From', cell: (event) => <EventPlace event={event} /> },
        ]}
      />
      <LoadMore more={more} />
    </>
  );
}

function EventPlace({ event }: { readonly event: AccountEvent }) {
  const place = eventPlace(event);
  return place === null ? <span class="muted">Command line</span> : <code>{place}</code>;
}
