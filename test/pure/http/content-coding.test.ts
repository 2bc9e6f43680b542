import { codingFor } from '../../../src/http/response/content-coding.ts';

test.each([
  ['', 'identity'],
  ['identity', 'identity'],
  ['gzip', 'gzip'],
  ['br', 'br'],
  ['BR', 'br'],
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip;q=0.9, br;q=0.2', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0, gzip;q=0', 'identity'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['*;q=0', 'identity'],
  ['*;q=0, gzip;q=0.001', 'gzip'],
  ['identity;q=0', 'identity'],
  ['identity;q=0, *', 'br'],
  ['identity, gzip;q=0.5', 'identity'],
  ['identity;q=0.5, gzip;q=0.5', 'gzip'],
  ['gzip ; q=0.5 , br ; q=0.4', 'gzip'],
  ['gzip;q=x', 'identity'],
  ['deflate, zstd', 'identity'],
  [',,;;,q=1', 'identity'],
])('"%s" is answered with %s', (accepted, coding) => {
  expect(codingFor({ headers: { 'accept-encoding': accepted } })).toBe(coding);
});
