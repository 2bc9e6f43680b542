import {
  actorWord,
  browserWord,
  eventDetail,
  eventWord,
  paymentWord,
  shortAddress,
} from '../../../console/client/account/words.ts';
import { initials, labelOf } from '../../../console/shared/record.ts';
import { rowStatuses } from '../../../src/payments/ledger/states.ts';

test.each(rowStatuses)('a payment that is %s has its own label', (status) => {
  expect(paymentWord(status).means).not.toBe('');
});

test('a shortened address keeps both ends', () => {
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

const event = (action: string, detail: Readonly<Record<string, unknown>> = {}) => ({
  action,
  detail,
  actor: 'wallet 0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
});

test.each([
  ['signed_in', { session: 12, method: 'wallet' }, 'Signed in', 'with a wallet'],
  ['signed_in', { session: 12, method: 'invitation' }, 'Signed in', 'with an invitation'],
  ['confirmed', { with: 'passkey' }, 'Identity confirmed', 'with a passkey'],
  ['account_opened', { plan: 'starter' }, 'Account opened', 'on the plan starter'],
  ['signed_out_everywhere', { sessions: 1 }, 'Signed out everywhere', '1 session'],
  ['wallet_added', { address: '0x52908400098527886e0f7030069857d2e4169ee7' }, 'Wallet added', '0x5290…9ee7'],
  ['passkey_added', { name: 'Phone' }, 'Passkey added', 'Phone'],
  ['key_created', { key: 'website', name: 'website', prefix: 'es_live_ab12' }, 'Key created', 'website, es_live_ab12…'],
  ['key_created', { key: 'website', replaces: 3 }, 'Key created by rotation', 'website'],
  ['key_changed', { key: 'website', before: { name: 'site' }, after: { name: 'website' } }, 'Key changed', 'website'],
  ['plan_changed', { before: 'starter', after: 'growth' }, 'Plan changed', 'from starter, to growth'],
  [
    'operator_changed_account',
    { account_id: 7, change: 'suspended' },
    'Changed another account',
    'account 7, suspended',
  ],
  [
    'operator_revoked_key',
    { account: 'Example Ltd', prefix: 'es_live_ab12' },
    'Revoked a key of another account',
    'es_live_ab12…, Example Ltd',
  ],
  ['something_new', { whatever: {} }, 'Something new', ''],
])('%s with %j is shown as %j, %j', (action, detail, word, more) => {
  expect(eventWord(event(action, detail))).toBe(word);
  expect(eventDetail(event(action, detail))).toBe(more);
});

test('a name of any length leaves room for the rest', () => {
  expect(eventDetail(event('passkey_added', { name: 'x'.repeat(500) }))).toHaveLength(81);
});

test('the address of a wallet is shortened in events, too', () => {
  expect(actorWord(event('signed_in'))).toBe('Wallet 0x7099…79c8');
});

test.each([
  ['Coinbase Wallet', 'CW'],
  ['rabby', 'RA'],
  ['Trust-Wallet Mobile', 'TW'],
  ['🦊 Fox', 'FO'],
  ['  ', '?'],
])('%j has the initials %s', (name, letters) => {
  expect(initials(name)).toBe(letters);
});

test.each([
  ['chain_unavailable', 'Chain unavailable'],
  ['series-a', 'Series A'],
  ['series-a-b', 'Series A B'],
  ['staking-as-a-service', 'Staking as a service'],
  ['pre-seed', 'Pre-seed'],
  ['ux-and-design', 'UX and design'],
  ['bnb-chain', 'BNB Chain'],
  ['dapps', 'dApps'],
  ['defi', 'DeFi'],
  ['ipo', 'IPO'],
  ['iOS', 'iOS'],
])('the label of %s is %s', (text, label) => {
  expect(labelOf(text)).toBe(label);
});
