import { once } from 'node:events';
import Koa from 'koa';
import { State } from '../../../src/http/context.ts';
import { announceDeprecations } from '../../../src/http/middleware/deprecation.ts';
import { deprecated, markDeprecated } from '../../../src/http/openapi/deprecation.ts';
import { createLogger } from '../../../src/lib/log.ts';

const soon = deprecated('2026-01-01', '2026-07-01', 'Use "query".');
const later = deprecated('2025-12-01', '2027-01-01', 'Use /api/v2.');

describe('A deprecation', () => {
  test('lasts as long as is promised', () => {
    expect(() => deprecated('2026-01-01', '2026-06-29', 'x')).toThrow(/for 180 days at least, not until 2026-06-29/);
    expect(() => deprecated('2026-01-01', '2026-06-30', 'x')).not.toThrow();
  });

  test.each([
    ['2026-02-31x', '2027-01-01'],
    ['', '2027-01-01'],
    ['2026-01-01', 'some day'],
  ])('from %j to %j is none', (since, sunset) => {
    expect(() => deprecated(since, sunset, 'x')).toThrow(/180 days/);
  });

  test('is marked in the document, of an address and of a parameter', () => {
    const parameters = [{ name: 'q', description: 'Text.' }, { name: 'limit' }];
    const operation = { operationId: 'find', description: 'Finds.', parameters };
    expect(markDeprecated(operation, {})).toEqual(operation);
    expect(markDeprecated(operation, { deprecated: later, deprecatedParameters: { q: soon } })).toEqual({
      operationId: 'find',
      deprecated: true,
      description: 'Deprecated, and there until 2027-01-01 at least. Use /api/v2. Finds.',
      parameters: [
        {
          name: 'q',
          deprecated: true,
          description: 'Deprecated, and there until 2026-07-01 at least. Use "query". Text.',
        },
        { name: 'limit' },
      ],
    });
  });
});

describe('The headers of an answer', () => {
  type Announced = Parameters<typeof announceDeprecations>[0];

  async function headersOf(deprecations: Announced, query: string): Promise<Record<string, unknown>> {
    const app = new Koa<State, object>();
    app.use((ctx, next) => {
      ctx.state = new State({ requestId: 'x' }, createLogger('fatal', { write: () => undefined }));
      return next();
    });
    for (const middleware of announceDeprecations(deprecations)) app.use(middleware);
    app.use((ctx) => {
      ctx.status = 204;
    });
    const server = app.listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('no port');
      const { headers } = await fetch(`http://127.0.0.1:${address.port}/?${query}`);
      return Object.fromEntries(['deprecation', 'sunset', 'link'].map((name) => [name, headers.get(name)]));
    } finally {
      server.close();
    }
  }

  const none = { deprecation: null, sunset: null, link: null };
  const link = '</docs>; rel="deprecation"; type="text/html"';

  test.each<[string, Announced, string, object]>([
    ['nothing is deprecated', {}, 'q=a', none],
    ['the parameter is not sent', { deprecatedParameters: { q: soon } }, 'query=q', none],
    [
      'the parameter is sent',
      { deprecatedParameters: { q: soon } },
      'q=',
      { deprecation: '@1767225600', sunset: 'Wed, 01 Jul 2026 00:00:00 GMT', link },
    ],
    [
      'the address is deprecated',
      { deprecated: later },
      '',
      { deprecation: '@1764547200', sunset: 'Fri, 01 Jan 2027 00:00:00 GMT', link },
    ],
    [
      'both are: since the first, until the soonest',
      { deprecated: later, deprecatedParameters: { q: soon } },
      'q=a&q=b',
      { deprecation: '@1764547200', sunset: 'Wed, 01 Jul 2026 00:00:00 GMT', link },
    ],
  ])('where %s', async (_title, deprecations, query, expected) => {
    expect(await headersOf(deprecations, query)).toEqual(expected);
  });
});
