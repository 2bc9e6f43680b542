import type { Json } from '../../lib/wire-schema.ts';

/** Tags and their descriptions in the order of the document. */
export const accountTags = {
  Account: 'Signing in and out, wallets, passkeys, sessions and events.',
  Keys: 'API keys of the account.',
  Usage: 'Calls of the account.',
  Payments: "Searches that the account's wallets have paid for.",
  Search: 'Search without a key, for the pages.',
  Operator: 'Other accounts, plans and indices, for operators.',
  Documentation: 'This document.',
} as const;
export type AccountTag = keyof typeof accountTags;
export const accountTagNames = Object.keys(accountTags) as readonly AccountTag[];

/** Returns a path parameter for an id. */
export function idParameter(description: string): Json {
  return { name: 'id', in: 'path', required: true, description, schema: { type: 'integer', minimum: 1 }, example: 1 };
}
