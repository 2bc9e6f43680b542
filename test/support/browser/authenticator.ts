import type { Page } from 'playwright-core';

/** A virtual authenticator, which creates and uses passkeys immediately while the page is open. */
export interface TestAuthenticator {
  count(): Promise<number>;
  /** Forgets them all, as a lost phone does. */
  clear(): Promise<void>;
}

/** Adds the browser's virtual authenticator to the page. Passkeys need a domain name: open `http://localhost:…`. */
export async function addAuthenticator(page: Page): Promise<TestAuthenticator> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    count: async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
    clear: async () => void (await session.send('WebAuthn.clearCredentials', { authenticatorId })),
  };
}
