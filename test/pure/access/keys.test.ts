import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { apiKeyPrefix, generateApiKey, hashApiKey, parseApiKey } from '../../../src/access/api-key.ts';
import { codePoint } from '../../support/code-point.ts';

const environment = fc.constantFrom('live' as const, 'test' as const);

test('a new key has the documented form, parses, and is found by its hash', () => {
  fc.assert(
    fc.property(environment, (kind) => {
      const key = generateApiKey(kind, randomBytes);
      expect(key).toMatch(/^es_(live|test)_[0-9A-Za-z]{36}$/);
      expect(parseApiKey(key)).toEqual({ ok: true, hash: hashApiKey(key) });
      expect(apiKeyPrefix(key)).toBe(key.slice(0, 12));
    }),
  );
});

test('a key with any one character changed is refused without a lookup', () => {
  fc.assert(
    fc.property(fc.nat({ max: 43 }), fc.string({ unit: codePoint, minLength: 1, maxLength: 1 }), (at, other) => {
      const key = generateApiKey('live', randomBytes);
      fc.pre(key[at] !== other);
      expect(parseApiKey(key.slice(0, at) + other + key.slice(at + 1))).toEqual({ ok: false });
    }),
  );
});

test('a key with two adjacent characters swapped is refused', () => {
  fc.assert(
    fc.property(fc.nat({ max: 42 }), (at) => {
      const key = generateApiKey('test', randomBytes);
      fc.pre(key[at] !== key[at + 1]);
      const exchanged = `${key.slice(0, at)}${key[at + 1]}${key[at]}${key.slice(at + 2)}`;
      expect(parseApiKey(exchanged)).toEqual({ ok: false });
    }),
  );
});

test('text that is not a key is refused, whatever it contains', () => {
  const key = generateApiKey('live', randomBytes);
  for (const text of ['', ' ', 'es_live_', `${key}x`, ` ${key}`, `${key}\n`, key.toUpperCase(), key.slice(1)]) {
    expect(parseApiKey(text)).toEqual({ ok: false });
  }
  fc.assert(fc.property(fc.string({ unit: codePoint }), (text) => expect(parseApiKey(text).ok).toBe(false)));
});

test('the same random bytes give the same key, with a checksum that scanners can verify', () => {
  const counting = (size: number) => Uint8Array.from({ length: size }, (_, at) => at);
  expect(generateApiKey('live', counting)).toBe(generateApiKey('live', counting));
  expect(generateApiKey('live', counting).slice(0, 38)).toBe('es_live_0123456789ABCDEFGHIJKLMNOPQRST');
});

test('random bytes that would favour some letters are discarded', () => {
  let calls = 0;
  const drawn = (size: number) => {
    calls += 1;
    return new Uint8Array(size).fill(calls === 1 ? 255 : 61);
  };
  expect(generateApiKey('live', drawn)).toContain('z'.repeat(30));
  expect(calls).toBe(2);
});
