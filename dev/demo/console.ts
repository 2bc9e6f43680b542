import { demoPlan } from './key.ts';

/** Passkeys need a name, which an IP address is not. */
export function consoleAddress(port: number): string {
  return `http://localhost:${port}/`;
}

/**
 * What the pages need: every wallet gets an account, and whoever has none borrows the payer's, so that what `demo:pay`
 * buys is among its payments. What the environment says of a public address would keep the wallet from being handed out.
 */
export function consoleSettings(payerKey: string): Readonly<Record<string, string>> {
  return {
    CONSOLE: 'true',
    SIGN_UP: 'open',
    SIGN_UP_PLAN: demoPlan,
    DEMO_WALLET_PRIVATE_KEY: payerKey,
    PUBLIC_URL: '',
    TRUST_PROXY: '0',
  };
}
