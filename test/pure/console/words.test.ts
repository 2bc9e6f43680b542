import { browserWord, paymentWord, shortAddress } from '../../../console/client/account/words.ts';
import { rowStatuses } from '../../../src/payments/ledger/states.ts';

test.each(rowStatuses)('a payment that is %s has words of its own', (status) => {
  expect(paymentWord(status).means).not.toBe('');
});

test('addresses keep both ends', () => {
  expect(shortAddress('0x52908400098527886e0f7030069857d2e4169ee7')).toBe('0x5290…9ee7');
  expect(shortAddress('operator')).toBe('operator');
});

test.each([
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Safari/537.36',
    'Chrome on Linux',
  ],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Windows'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Safari/604.1',
    'Safari on iPhone',
  ],
  ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/153.0 Safari/537.36 Edg/153.0', 'Edge on Windows'],
  ['curl/8.5.0', 'curl'],
  ['', 'Unknown browser'],
])('%j is %s', (userAgent, word) => {
  expect(browserWord(userAgent)).toBe(word);
});
