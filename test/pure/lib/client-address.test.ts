import { clientNetwork, limitAddresses, parseAddress } from '../../../src/lib/client-address.ts';

// Entries of X-Forwarded-For and addresses of sockets, as proxies and Node write them.
test.each([
  ['192.0.2.7', '192.0.2.7'],
  [' 192.0.2.7 ', '192.0.2.7'],
  ['192.0.2.7:50412', '192.0.2.7'],
  ['"192.0.2.7:50412"', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:c000:0207', '192.0.2.7'],
  ['[::ffff:192.0.2.7]:443', '192.0.2.7'],
  ['2001:db8::7', '2001:db8:0:0:0:0:0:7'],
  ['2001:0DB8:1:2:3:4:5:6', '2001:db8:1:2:3:4:5:6'],
  ['[2001:db8::7]', '2001:db8:0:0:0:0:0:7'],
  ['[2001:db8::7]:50412', '2001:db8:0:0:0:0:0:7'],
  ['"[2001:db8::7]:50412"', '2001:db8:0:0:0:0:0:7'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0:0:0:c000:207'],
  ['fe80::1%eth0', 'fe80:0:0:0:0:0:0:1'],
  ['[fe80::1%25eth0]:80', 'fe80:0:0:0:0:0:0:1'],
  ['::1', '0:0:0:0:0:0:0:1'],
  ['::', '0:0:0:0:0:0:0:0'],
  ['1::', '1:0:0:0:0:0:0:0'],
])('%j is the address %s', (entry, address) => {
  expect(parseAddress(entry)).toBe(address);
});

test.each([
  ...[
    '',
    'unknown',
    '_hidden',
    'for=192.0.2.7',
    'example.com',
    '192.0.2',
    '192.0.2.256',
    '0300.0.2.7',
    '192.0.2.7:port',
  ],
  ...['192.0.2.7, 192.0.2.8', '2001:db8::7::8', '[2001:db8::7', '2001:db8::7]:80', '[2001:db8::7]80'],
  ...[`192.0.2.7${' '.repeat(100)}7`, `[${':'.repeat(200)}]`],
])('%j is not an address', (entry) => {
  expect(parseAddress(entry)).toBeNull();
});

test.each([
  ['192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2', '2001:db8:1'],
  ['2001:db8::1', '2001:db8:0:0', '2001:db8:0'],
])('%s is in the networks %s and %s', (address, narrow, wide) => {
  const parsed = parseAddress(address) ?? '';
  expect([clientNetwork(parsed), clientNetwork(parsed, 48)]).toEqual([narrow, wide]);
});

describe('A rate limit for addresses', () => {
  const taken = (take: ReturnType<typeof limitAddresses>, addresses: readonly string[]): number =>
    addresses.filter((address) => take(parseAddress(address) ?? '').ok).length;
  const times = (count: number, address: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => address(at));
  const limit = (togetherMax?: number) =>
    limitAddresses({ max: 5, perMs: 60_000, ...(togetherMax === undefined ? {} : { togetherMax }) }, () => 0);

  test('counts an IPv6 /64 network as one client', () => {
    const take = limit();
    const many = times(50, (at) => `2001:db8:1:2::${at}`);
    expect(taken(take, many)).toBe(5);
    expect(taken(take, ['2001:db8:1:3::1', '192.0.2.1'])).toBe(2);
  });

  test('allows an IPv6 /48 network sixteen times as much', () => {
    const take = limit();
    const many = times(10_000, (at) => `2001:db8:1:${at.toString(16)}::1`);
    expect(taken(take, many)).toBe(80);
    expect(taken(take, ['2001:db8:2::1'])).toBe(1);
  });

  test('has a limit for all addresses together', () => {
    const many = times(200, (at) => `192.0.2.${at}`);
    expect(taken(limit(40), many)).toBe(40);
  });
});
