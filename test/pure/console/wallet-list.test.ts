import {
  injectedWallet,
  type WalletOption,
  withAnnounced,
} from '../../../console/client/account/signing/wallet-list.ts';

const provider = { request: async () => null };
const announcement = (uuid: string, name: string) => ({
  info: { uuid, name, icon: 'data:image/svg+xml,<svg/>', rdns: 'example.wallet' },
  provider,
});

describe('wallets that announce themselves', () => {
  test('are listed once and by name, however often they announce themselves', () => {
    let list: readonly WalletOption[] = [];
    list = withAnnounced(list, announcement('b', 'Walrus'));
    list = withAnnounced(list, announcement('a', 'Abacus'));
    const before = list;
    list = withAnnounced(list, announcement('b', 'Walrus'));
    expect(list.map(({ name }) => name)).toEqual(['Abacus', 'Walrus']);
    expect(list).toBe(before);
  });

  test.each([
    ['nothing', null],
    ['a text', 'wallet'],
    ['no provider', { info: { uuid: 'a', name: 'A' } }],
    ['a provider without a request method', { info: { uuid: 'a', name: 'A' }, provider: {} }],
    ['no info', { provider }],
    ['no name', { info: { uuid: 'a' }, provider }],
    ['an empty uuid', { info: { uuid: '', name: 'A' }, provider }],
  ])('are ignored if they announce %s', (_, detail) => {
    const list: readonly WalletOption[] = [];
    expect(withAnnounced(list, detail)).toBe(list);
  });

  test('have a limited name', () => {
    const [long] = withAnnounced([], announcement('a', ` ${'W'.repeat(200)}`));
    expect(long?.name).toBe('W'.repeat(40));
    expect(withAnnounced([], announcement('a', '   '))[0]?.name).toBe('Unnamed wallet');
  });

  test('are limited in number', () => {
    let list: readonly WalletOption[] = [];
    for (let i = 0; i < 100; i += 1) list = withAnnounced(list, announcement(`${i}`, `Wallet ${i}`));
    expect(list).toHaveLength(12);
  });
});

test('a wallet that announces itself late replaces the injected one', () => {
  const older = injectedWallet(provider);
  const list = older === null ? [] : withAnnounced([older], announcement('a', 'Abacus'));
  expect(list.map(({ name }) => name)).toEqual(['Abacus']);
});

test('an injected provider is listed if it can receive requests', () => {
  expect(injectedWallet(provider)).toMatchObject({ name: 'Browser wallet' });
  expect(injectedWallet({})).toBeNull();
  expect(injectedWallet(undefined)).toBeNull();
});
