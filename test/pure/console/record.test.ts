import { initials } from '../../../console/shared/record.ts';

test.each([
  ['Coinbase Wallet', 'CW'],
  ['rabby', 'RA'],
  ['Trust-Wallet Mobile', 'TW'],
  ['🦊 Fox', 'FO'],
  ['  ', '?'],
])('%j is drawn as %s', (name, letters) => {
  expect(initials(name)).toBe(letters);
});
