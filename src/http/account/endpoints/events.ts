import { z } from 'zod';
import { events as eventPage } from '../../../account/answers.ts';
import { readEventCursor, writeEventCursor } from '../../../account/events.ts';
import { textUpTo, wholeNumber } from '../../../lib/parameter-schemas.ts';
import { counted } from '../../../lib/text/counted.ts';
import { InvalidParameters } from '../../errors/errors.ts';
import { accountEndpoint } from '../account-endpoint.ts';
import { sessionOf } from '../middleware/session.ts';

const limitMax = 100;
const limitDefault = 50;

export const events = accountEndpoint({
  method: 'get',
  path: 'events',
  gates: ['slot', 'session', 'records slot'],
  query: z.strictObject({ limit: wholeNumber(1, limitMax).optional(), before: textUpTo(64).optional() }),
  texts: {
    limit: { text: `The largest number of events; by default ${limitDefault}.`, example: 20 },
    before: { text: 'data.next of the previous page.' },
  },
  answer: eventPage,
  summary: 'Events of the account and its keys, the newest first',
  handler: async ({ account, ctx, query: { limit = limitDefault, before } }) => {
    const cursor = before === undefined ? undefined : readEventCursor(before);
    if (cursor === null) {
      throw new InvalidParameters([{ path: 'before', message: 'must be data.next of the page before, unchanged' }]);
    }
    const page = await account.events.list(sessionOf(ctx).account.id, limit, cursor);
    const data = {
      events: page.events.map(({ at, ...event }) => ({ ...event, at: at.toISOString() })),
      next: page.next === null ? null : writeEventCursor(page.next),
    };
    return [data, `${counted(data.events.length, 'event')}.`];
  },
});
