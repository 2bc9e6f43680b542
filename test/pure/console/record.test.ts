import { initials, labelOf } from '../../../console/shared/record.ts';

test.each([
  ['Coinbase Wallet', 'CW'],
  ['rabby', 'RA'],
  ['Trust-Wallet Mobile', 'TW'],
  ['🦊 Fox', 'FO'],
  ['  ', '?'],
])('%j is drawn as %s', (name, letters) => {
  expect(initials(name)).toBe(letters);
});

test.each([
  ['chain_unavailable', 'Chain unavailable'],
  ['series-a', 'Series A'],
  ['defi', 'DeFi'],
  ['iOS', 'iOS'],
])('the label of %s is %s', (text, label) => {
  expect(labelOf(text)).toBe(label);
});
