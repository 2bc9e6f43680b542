import { accountHome, returnPath, signInPath } from '../../../console/client/account/return-path.ts';

const asked = (path: string) => returnPath(`?${new URLSearchParams({ return: path })}`);

test.each(['/account/usage', '/account/usage?days=30', '/account/operator'])(
  'sign-in returns to %s, a page of the account',
  (path) => {
    expect(asked(path)).toBe(path);
  },
);

test.each([
  'https://evil.example/account/usage',
  '//evil.example/account/usage',
  '/\\evil.example/account/usage',
  '/\t/evil.example',
  '/account/../../search',
  '/account/usage/../../search',
  '/account/%2e%2e/search',
  '/account/usage.evil.example',
  '/account/api/session',
  '/account/sign-in',
  '/account/invitation',
  'javascript:alert(1)',
  '',
])('sign-in returns to the keys, not to %j', (path) => {
  expect(asked(path)).toBe(accountHome);
});

test('the fragment of a return address is dropped, since it could contain anything', () => {
  expect(asked('/account/usage#x')).toBe('/account/usage');
  expect(asked('/account/usage?days=7#x')).toBe('/account/usage?days=7');
});

test('the address of the sign-in page contains the return address', () => {
  expect(signInPath('/account/keys')).toBe('/account/sign-in');
  const { search } = new URL(signInPath('/account/usage?days=7'), 'http://localhost');
  expect(returnPath(search)).toBe('/account/usage?days=7');
});
