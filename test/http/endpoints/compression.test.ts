import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Api, apiForFile, elasticsearchAnswer } from '../../support/api/in-process.ts';

/** As it comes over the wire: `fetch` would unpack it. */
function wire(api: Api, path: string, acceptEncoding: string) {
  return new Promise<{ encoding: string | undefined; vary: string | undefined; bytes: Buffer }>((resolve, reject) => {
    const headers = { authorization: `Bearer ${api.key}`, 'accept-encoding': acceptEncoding };
    request({ port: api.port, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => void chunks.push(chunk));
      response.on('end', () => {
        const { 'content-encoding': encoding, vary } = response.headers;
        resolve({ encoding, vary, bytes: Buffer.concat(chunks) });
      });
    })
      .on('error', reject)
      .end();
  });
}

const hits = Array.from({ length: 20 }, (_, at) => ({
  kind: 'companies',
  source: { id: at + 1, name: `Company ${at}`, slug: `company-${at}`, overview: 'It repeats itself. '.repeat(10) },
}));
const many = { search: async () => ({ ok: true, body: elasticsearchAnswer(hits) }) as const };
const api = await apiForFile(many);
const path = '/api/v1/search?type=companies&query=company';

test.each([
  ['br', 'gzip, deflate, br', brotliDecompressSync],
  ['gzip', 'gzip', gunzipSync],
  ['gzip', 'br;q=0, gzip', gunzipSync],
])('a long answer is compressed with %s for "%s"', async (encoding, accepted, unpack) => {
  const plain = await wire(api, path, 'identity');
  const packed = await wire(api, path, accepted);
  expect(packed.encoding).toBe(encoding);
  expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
  expect(JSON.parse(unpack(packed.bytes).toString()).data).toEqual(JSON.parse(plain.bytes.toString()).data);
});

test.each(['', 'identity', 'zstd', 'deflate'])('for "%s" it is uncompressed, with Vary', async (accepted) => {
  const { encoding, vary, bytes } = await wire(api, path, accepted);
  expect(encoding).toBeUndefined();
  expect(vary).toMatch(/Accept-Encoding/);
  expect(JSON.parse(bytes.toString()).data.results).toHaveLength(20);
});

test.each(['/api/health', '/nowhere', '/api/v1/suggest?q='])('%s is too short to be compressed', async (short) => {
  expect((await wire(api, short, 'gzip, br')).encoding).toBeUndefined();
});
