import { createSiweMessage, parseSiweMessage, validateSiweMessage } from 'viem/siwe';
import type { Hex } from '../payments/protocol/networks.ts';
import { lowerHex } from '../payments/protocol/payload.ts';
import type { Purpose } from './answers.ts';

// Messages for wallets to sign, in the form of EIP-4361.

/** The address of the pages, and the chain of the wallets. */
export interface SignInPlace {
  /** Such as `https://example.com`. */
  readonly origin: string;
  readonly chainId: number;
}

export interface NamedAccount {
  readonly id: number;
  readonly name: string;
}

/** The content of a message, apart from site, address and times. */
export interface SignInRequest {
  readonly address: Hex;
  readonly purpose: Purpose;
  /** The account that the signature is for; null for a sign-in, when the account is not known yet. */
  readonly account: NamedAccount | null;
  /** At least 8 letters and digits, never used before. */
  readonly nonce: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

/** Writes the message. It names its purpose, so that the signature works for that purpose only. */
export function writeSignInMessage(place: SignInPlace, request: SignInRequest): string {
  return createSiweMessage({
    domain: new URL(place.origin).host,
    uri: uriOf(place),
    version: '1',
    chainId: place.chainId,
    address: request.address,
    statement: statementOf(request),
    nonce: request.nonce,
    issuedAt: new Date(request.issuedAtMs),
    expirationTime: new Date(request.expiresAtMs),
  });
}

/**
 * Returns the address that must sign a message, in lower case; null if the message is not valid for this site at this
 * time.
 */
export function readSignInMessage(text: string, place: SignInPlace, nowMs: number): Hex | null {
  const message = parseSiweMessage(text);
  const { address, uri, chainId, version, nonce, expirationTime } = message;
  const domain = new URL(place.origin).host;
  const current = validateSiweMessage({ message, domain, time: new Date(nowMs) });
  const ours = uri === uriOf(place) && chainId === place.chainId && version === '1' && nonce !== undefined;
  if (!current || !ours || address === undefined || expirationTime === undefined) return null;
  return lowerHex(address);
}

function uriOf({ origin }: SignInPlace): string {
  return `${origin}/account`;
}

function statementOf({ purpose, account }: SignInRequest): string {
  switch (purpose) {
    case 'sign-in':
      return 'Sign in to Entity Search.';
    case 'confirm':
      return `Confirm a change of the ways to sign in to ${shown(account)} at Entity Search.`;
    case 'add':
      return `Add this wallet to ${shown(account)} at Entity Search. The wallet's owner can then sign in to it.`;
    case 'invitation':
      return `Accept an invitation to ${shown(account)} at Entity Search. The wallet's owner can then sign in to it.`;
  }
}

/**
 * Characters that a statement can't have: a line break would end it, and wallets refuse characters that URIs can't
 * have.
 */
const notInStatements = /[^\w .,:;/?#@!$&'()*+=~-]/gu;
const nameMax = 64;

function shown(account: NamedAccount | null): string {
  if (account === null) throw new Error('A message names its account, unless it is for a sign-in.');
  const name = Array.from(account.name.slice(0, 2 * nameMax))
    .slice(0, nameMax)
    .join('')
    .replace(notInStatements, '?');
  return `the account ${name} (number ${account.id})`;
}

/** Returns true if messages are possible for an origin: wallets accept full domain names, IPv4 addresses and localhost. */
export function canWriteSignInMessage(origin: string): boolean {
  try {
    writeSignInMessage({ origin, chainId: 1 }, probe);
    return true;
  } catch {
    return false;
  }
}

const probe: SignInRequest = {
  address: `0x${'0'.repeat(40)}`,
  purpose: 'sign-in',
  account: null,
  nonce: '00000000',
  issuedAtMs: 0,
  expiresAtMs: 0,
};
