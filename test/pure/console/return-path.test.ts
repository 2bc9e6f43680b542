import { accountHome, returnPath, signInPath } from '../../../console/client/account/return-path.ts';

const asked = (path: string) => returnPath(`?${new URLSearchParams({ return: path })}`);

describe('where signing in leads', () => {
  test.each([['/account'], ['/account/usage'], ['/account/usage?days=30'], ['/account/operator']])(
    '%s is a page of the account',
    (path) => {
      expect(asked(path)).toBe(path);
    },
  );

  test.each([
    ['https://evil.example/account'],
    ['//evil.example/account'],
    ['/\\evil.example/account'],
    ['/\t/evil.example'],
    ['/account/../../search'],
    ['/account/%2e%2e/search'],
    ['/account/..\\search'],
    ['/accounts'],
    ['/account.evil.example'],
    ['/account/api/session'],
    ['/account/sign-in'],
    ['/account/invitation'],
    ['javascript:alert(1)'],
    ['/search'],
    [''],
    [`/account/${'a'.repeat(600)}`],
  ])('%s is none', (path) => {
    expect(asked(path)).toBe(accountHome);
  });

  test('without a wish it leads to the keys', () => {
    expect(returnPath('')).toBe(accountHome);
  });

  test('the fragment of a wish is left out, since it could hold anything', () => {
    expect(asked('/account/usage#x')).toBe('/account/usage');
  });

  test('the way there leads back', () => {
    expect(signInPath('/account/keys')).toBe('/account/sign-in');
    expect(returnPath(new URL(signInPath('/account/usage?days=7'), 'http://localhost').search)).toBe(
      '/account/usage?days=7',
    );
  });
});
