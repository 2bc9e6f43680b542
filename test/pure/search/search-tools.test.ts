import { searchTools, type UntimedRequest } from '../../../src/search/ports.ts';
import { answer } from '../../support/search/scripted-engine.ts';

describe('The requests of one search', () => {
  test('share the time that is left, and none is sent if none is left', async () => {
    const timeouts: number[] = [];
    const port = {
      search: async ({ timeoutMs }: { timeoutMs: number }) => {
        timeouts.push(timeoutMs);
        return answer(1);
      },
      searchAll: async (requests: readonly UntimedRequest[], { timeoutMs }: { timeoutMs: number }) => {
        timeouts.push(timeoutMs);
        return requests.map(() => answer(1));
      },
    };
    let leftMs = 300;
    const { send, sendAll, vectors: none } = searchTools(port, () => leftMs);
    const request = { indices: ['x'], body: {} };
    await send(request);
    leftMs = 120;
    expect(await sendAll([request, request])).toHaveLength(2);
    leftMs = 0;
    expect([await send(request), ...(await sendAll([request, request]))]).toMatchObject(
      Array(3).fill({ ok: false, reason: 'timeout' }),
    );
    expect([timeouts, none]).toEqual([[300, 120], null]);
  });
});
