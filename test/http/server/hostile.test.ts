import { request } from 'node:http';
import fc from 'fast-check';
import { type Api, startApi } from '../../support/api/in-process.ts';

const runs = 400;

/** Any byte, percent-encoded, so that what arrives may be no UTF-8 at all. */
const anyBytes = fc
  .uint8Array({ maxLength: 80 })
  .map((bytes) => Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''));
const anyText = fc.string({ unit: 'binary', maxLength: 80 }).map((text) => encodeURIComponent(text.toWellFormed()));
/** The characters that are allowed in a request line. */
const anyRaw = fc.string({ unit: fc.constantFrom(...'abz09%&=+;[]{}()"\'<>*~:?#/\\|^`$!@,._-'), maxLength: 60 });

/** Sends the path as it is: `fetch` would tidy it. */
function get(api: Api, path: string): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${api.key}` };
    request({ port: api.port, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
    })
      .on('error', reject)
      .end();
  });
}

const clearError = { error: expect.any(String), code: expect.any(String) };

test.each([
  ['bytes that may be no UTF-8', anyBytes],
  ['any Unicode', anyText],
])('a query of %s is answered 200', async (_title, texts) => {
  await using api = await startApi();
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      expect((await get(api, `/api/v1/search?type=all&query=${text}`)).status).toBe(200);
    }),
    { numRuns: runs },
  );
});

test('whatever the query string holds, the answer is 200 or a clear 400', async () => {
  await using api = await startApi();
  await fc.assert(
    fc.asyncProperty(anyRaw, async (raw) => {
      const { status, body } = await get(api, `/api/v1/search?type=all&${raw}`);
      if (status === 200) return;
      expect(status).toBe(400);
      expect(body).toMatchObject(clearError);
    }),
    { numRuns: runs },
  );
});

test('whatever the path holds, the answer is a clear 404', async () => {
  await using api = await startApi();
  await fc.assert(
    fc.asyncProperty(fc.oneof(anyBytes, anyRaw), async (path) => {
      const { status, body } = await get(api, `/api/v1/x${path}`);
      expect(status).toBe(404);
      expect(body).toMatchObject(clearError);
    }),
    { numRuns: runs },
  );
});
