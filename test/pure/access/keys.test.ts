import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { apiKeyPrefix, generateApiKey, hashApiKey, parseApiKey } from '../../../src/access/api-key.ts';
import { codePoint } from '../../support/code-point.ts';

const environment = fc.constantFrom('live' as const, 'test' as const);

test('a made key has the documented form, parses, and is found by its hash', () => {
  fc.assert(
    fc.property(environment, (kind) => {
      const key = generateApiKey(kind, randomBytes);
      expect(key).toMatch(/^es_(live|test)_[0-9A-Za-z]{36}$/);
      expect(parseApiKey(key)).toEqual({ ok: true, hash: hashApiKey(key) });
      expect(apiKeyPrefix(key)).toBe(key.slice(0, 12));
    }),
  );
});

test('a key with any one character changed is refused without a look-up', () => {
  fc.assert(
    fc.property(fc.nat({ max: 43 }), fc.string({ unit: codePoint, minLength: 1, maxLength: 1 }), (at, other) => {
      const key = generateApiKey('live', randomBytes);
      fc.pre(key[at] !== other);
      expect(parseApiKey(key.slice(0, at) + other + key.slice(at + 1))).toEqual({ ok: false });
    }),
  );
});

test('two neighbouring characters exchanged are refused', () => {
  fc.assert(
    fc.property(fc.nat({ max: 42 }), (at) => {
      const key = generateApiKey('test', randomBytes);
      fc.pre(key[at] !== key[at + 1]);
      const exchanged = `${key.slice(0, at)}${key[at + 1]}${key[at]}${key.slice(at + 2)}`;
      expect(parseApiKey(exchanged)).toEqual({ ok: false });
    }),
  );
});

test('text that is no key is refused, whatever it is', () => {
  const key = generateApiKey('live', randomBytes);
  for (const text of ['', ' ', 'es_live_', `${key}x`, ` ${key}`, `${key}\n`, key.toUpperCase(), key.slice(1)]) {
    expect(parseApiKey(text)).toEqual({ ok: false });
  }
  fc.assert(fc.property(fc.string({ unit: codePoint }), (text) => expect(parseApiKey(text).ok).toBe(false)));
});

test('the same random bytes make the same key, with the checksum that scanners can compute', () => {
  const counting = (size: number) => Uint8Array.from({ length: size }, (_, at) => at);
  expect(generateApiKey('live', counting)).toBe(generateApiKey('live', counting));
  expect(generateApiKey('live', counting).slice(0, 38)).toBe('es_live_0123456789ABCDEFGHIJKLMNOPQRST');
});

test('bytes that would make some letters likelier are drawn again', () => {
  let calls = 0;
  const drawn = (size: number) => {
    calls += 1;
    return new Uint8Array(size).fill(calls === 1 ? 255 : 61);
  };
  expect(generateApiKey('live', drawn)).toContain('z'.repeat(30));
  expect(calls).toBe(2);
});
