import { demoPlan } from './key.ts';

/** Passkeys need a name, which an IP address is not. */
export function consoleAddress(port: number): string {
  return `http://localhost:${port}/`;
}

/**
 * Settings for the pages: every wallet gets an account, and visitors without a wallet borrow the payer's, so that
 * purchases of `demo:pay` are among its payments. A public address in the environment would keep the wallet from being
 * handed out.
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
