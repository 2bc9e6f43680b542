import { eventRecord } from '../../kinds/events.ts';
import { calendarDate, location } from '../../kinds/kind.ts';
import { type CalendarEntry, calendarFile } from '../../lib/text/icalendar.ts';
import { identifierOf } from '../../pages/page.ts';
import type { Deps } from '../../ports.ts';
import type { Context } from '../context.ts';
import { ownOrigin } from '../pages/send-page.ts';
import { sendFile } from './account-endpoint.ts';

const datedEvent = eventRecord
  .pick({ id: true, name: true, slug: true, start_date: true, end_date: true, venue: true, overview: true })
  .extend({ start_date: calendarDate, location_json: location.nullable() })
  .strip();

/** Answers with a calendar of the items that are events with a date. */
export function sendCalendar(ctx: Context, deps: Deps, fileName: string, items: readonly object[]): void {
  const origin = ownOrigin(ctx, deps.config.console);
  const entries = items.flatMap((item): readonly CalendarEntry[] => {
    const { data: event } = datedEvent.safeParse(item);
    if (event === undefined) return [];
    const { id, name, start_date: first, end_date: last, venue, location_json: place, overview } = event;
    return [
      {
        uid: `events-${id}@${origin === null ? 'entity-search' : new URL(origin).host}`,
        title: name,
        first,
        last,
        place: [venue, place?.city, place?.country].filter((part) => part).join(', '),
        text: overview ?? '',
        url: origin === null ? '' : `${origin}/events/${encodeURIComponent(identifierOf(event))}`,
      },
    ];
  });
  sendFile(ctx, fileName, 'text/calendar', calendarFile(entries, deps.clock.now()));
}
