import { z } from 'zod';
import { events as eventPage } from '../../../account/answers.ts';
import { readEventCursor, writeEventCursor } from '../../../account/events.ts';
import { textUpTo, wholeNumber } from '../../../lib/parameter-schemas.ts';
import { counted } from '../../../lib/text/counted.ts';
import { InvalidParameters } from '../../errors/errors.ts';
import { answerOf } from '../../openapi/account-operation.ts';
import { accountEndpoint } from '../account-endpoint.ts';
import { accountPorts, fromStore } from '../console.ts';
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
  answer: answerOf('EventsAnswer', eventPage),
  operation: () => ({
    operationId: 'events',
    tag: 'Security',
    summary: 'Events of the account and its keys, the newest first',
    examples: { events: [{ events: [exampleEvent], next: null }, '1 event.'] },
  }),
  handler:
    (deps) =>
    async ({ ctx, query: { limit = limitDefault, before } }) => {
      const cursor = before === undefined ? undefined : readEventCursor(before);
      if (cursor === null) {
        throw new InvalidParameters([{ path: 'before', message: 'must be data.next of the page before, unchanged' }]);
      }
      const page = fromStore(await accountPorts(deps).events.list(sessionOf(ctx).account.id, limit, cursor));
      const data = {
        events: page.events.map(({ at, ...event }) => ({ ...event, at: at.toISOString() })),
        next: page.next === null ? null : writeEventCursor(page.next),
      };
      return [data, `${counted(data.events.length, 'event')}.`];
    },
});

const exampleEvent = {
  id: 'account-31',
  at: '2026-01-31T12:00:00.000Z',
  action: 'signed_in',
  actor: 'wallet 0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  detail: { session: 12, method: 'wallet' },
  ip: '192.0.2.7',
};
