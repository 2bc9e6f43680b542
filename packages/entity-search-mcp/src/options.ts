import type { usdc } from '../../../clients/typescript/src/spending.ts';

/** The CAIP-2 name of a network. */
export type NetworkName = (typeof usdc)[number]['network'];

/** The networks that the wallet can pay on. */
export const networks: Readonly<Record<NetworkName, string>> = {
  'eip155:84532': 'Base Sepolia, test money',
  'eip155:8453': 'Base, real money',
};

/** A setting, given by a variable of the environment or by a flag. */
export interface Option {
  readonly env: string;
  /** Secrets have no flag: every program on the machine can see command lines. */
  readonly flag?: string;
  /** The name of its value in the help. */
  readonly value: string;
  readonly default?: string;
  readonly text: string;
}

/** All settings in the order of the help. Flags win over the environment. */
export const options = {
  url: {
    env: 'ENTITY_SEARCH_URL',
    flag: 'url',
    value: 'URL',
    text: 'The base address of the service, such as https://api.example.com or http://127.0.0.1:3000.',
  },
  key: {
    env: 'ENTITY_SEARCH_API_KEY',
    value: 'KEY',
    text: 'An API key (es_live_… or es_test_…). With one, every tool works and no wallet is used.',
  },
  keyFile: {
    env: 'ENTITY_SEARCH_API_KEY_FILE',
    flag: 'api-key-file',
    value: 'FILE',
    text: 'A file that holds the API key.',
  },
  wallet: {
    env: 'ENTITY_SEARCH_WALLET_KEY',
    value: '0x…',
    text: 'The private key of a wallet that pays for searches in USDC. Use one of its own, with little in it.',
  },
  walletFile: {
    env: 'ENTITY_SEARCH_WALLET_KEY_FILE',
    flag: 'wallet-key-file',
    value: 'FILE',
    text: "A file that holds the wallet's private key.",
  },
  network: {
    env: 'ENTITY_SEARCH_NETWORK',
    flag: 'network',
    value: 'NETWORK',
    default: 'eip155:84532',
    text: `The only network that the wallet pays on: ${Object.entries(networks)
      .map(([name, title]) => `${name} (${title})`)
      .join(' or ')}.`,
  },
  perCall: {
    env: 'ENTITY_SEARCH_MAX_USD_PER_CALL',
    flag: 'max-usd-per-call',
    value: 'USD',
    default: '0.05',
    text: 'The most that one call may cost.',
  },
  perDay: {
    env: 'ENTITY_SEARCH_MAX_USD_PER_DAY',
    flag: 'max-usd-per-day',
    value: 'USD',
    default: '1.00',
    text: 'The most that all calls of the wallet may cost in a day (UTC), for all processes of this user together.',
  },
  timeout: {
    env: 'ENTITY_SEARCH_TIMEOUT_SECONDS',
    flag: 'timeout',
    value: 'SECONDS',
    default: '60',
    text: 'The time limit of one call, from 1 to 600.',
  },
} as const satisfies Readonly<Record<string, Option>>;

export type OptionName = keyof typeof options;

export const optionList: readonly (Option & { readonly name: OptionName })[] = Object.entries(options).map(
  ([name, option]) => ({ ...option, name: name as OptionName }),
);
