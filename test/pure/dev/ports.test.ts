import { once } from 'node:events';
import { createServer } from 'node:net';
import { startOnFreePort } from '../../../dev/lib/ports.ts';

// Programs of the development tools that listen on a port chosen before.

test('if another program takes the port, the start is tried again with another one', async () => {
  const other = createServer();
  const tried: number[] = [];
  const started = await startOnFreePort(async (port) => {
    tried.push(port);
    if (tried.length > 1) return port;
    await once(other.listen(port, '127.0.0.1'), 'listening');
    throw new Error('address already in use');
  });
  expect(tried).toEqual([expect.any(Number), started]);
  expect(tried[0]).not.toBe(started);
  await new Promise((resolve) => other.close(resolve));
});

test('a start that fails although its port is free is not repeated', async () => {
  const start = jest.fn().mockRejectedValue(new Error('no memory'));
  await expect(startOnFreePort(start)).rejects.toThrow('no memory');
  expect(start).toHaveBeenCalledTimes(1);
});
