import { demoPlan } from './key.ts';

/** Passkeys need a name, which an IP address is not. */
export function consoleAddress(port: number): string {
  return `http://localhost:${port}/`;
}

/**
 * Settings for the pages: every wallet gets an account, and visitors without a wallet can use the payer's, which also
 * has the purchases of `demo:pay`. The wallet is not offered if the environment sets a public address.
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
