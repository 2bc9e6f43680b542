// Readers of records whose fields depend on their kind. A search result has only some of the fields.

export type Fields = Readonly<Record<string, unknown>>;

/** Returns a field's text; null if it is blank or not a string. */
export function textOf(fields: Fields, name: string): string | null {
  const value = fields[name];
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

export function numberOf(fields: Fields, name: string): number | null {
  const value = fields[name];
  return typeof value === 'number' ? value : null;
}

/** Returns the strings of a list, without blank ones. */
export function textsOf(fields: Fields, name: string): readonly string[] {
  const value = fields[name];
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string' && each.trim() !== '') : [];
}

export function objectsOf(fields: Fields, name: string): readonly Fields[] {
  const value = fields[name];
  return Array.isArray(value) ? value.map(fieldsOf).filter((each) => each !== null) : [];
}

/** Returns the fields of an object; null for any other value. */
export function fieldsOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
}

/** Returns the city and country, as far as they are known. */
export function placeOf(fields: Fields): string | null {
  const location = fieldsOf(fields.location_json);
  if (location === null) return null;
  const parts = [textOf(location, 'city'), textOf(location, 'country')].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', ');
}

/** Returns a web address; null for a text that must not become a link. */
export function webAddress(text: string | null): URL | null {
  if (text === null) return null;
  const url = URL.parse(text) ?? URL.parse(`https://${text}`);
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname.includes('.') ? url : null;
}

/** Returns the host of an address as people write it. */
export function hostOf(url: URL | null): string {
  return url === null ? '' : url.hostname.replace(/^www\./, '');
}

/** Slugs, codes and their words that are spelled with capitals. */
const spellings: ReadonlyMap<string, string> = new Map([
  ['bnb-chain', 'BNB Chain'],
  ['internet-computer', 'Internet Computer'],
  ['world-chain', 'World Chain'],
  ['infra', 'Infrastructure'],
  ...`AI AMM API APIs BNB BTC CLI DAO DAOs dApp dApps DeFi DEX DID EIP ENS EOS ERC ETH EVM GameFi HTTP IBC IPFS IPO
  JavaScript JSON KYC L1 L2 L2s L3 MEV MPC NFT NFTs P2P REITs RPC RWA SaaS SDK SQL TypeScript UI UX ZK zkEVM ZKP ZKPs
  zkSync`
    .split(/\s+/)
    .map((word) => [word.toLowerCase(), word] as const),
]);

/** Returns the label of a slug or a code: `venture-capital` as `Venture capital`. Other texts stay as they are. */
export function labelOf(text: string): string {
  if (!/^[a-z0-9]+(?:[-_.][a-z0-9]+)*$/.test(text)) return text;
  const label = text
    // The letter of `series-a`, but not the article of `as-a-service`.
    .replace(/\b[a-z](?=$|-[a-z]\b)/g, (letter) => letter.toUpperCase())
    // `pre-seed` keeps its hyphen.
    .split(/(?<!^(?:multi|off|on|pre|self))-|[_.]/)
    .map((word, at) => spellings.get(word) ?? (at === 0 ? `${word.charAt(0).toUpperCase()}${word.slice(1)}` : word))
    .join(' ');
  return spellings.get(text) ?? label;
}

/** Returns a slug as words, for an entity whose name is unknown. */
export function slugWords(slug: string): string {
  return slug.replace(/(?:^|-)([^-])/g, (_, letter: string) => ` ${letter.toUpperCase()}`).trim();
}

export function initials(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const [first = '?', second] = words;
  const letters =
    second === undefined ? Array.from(first).slice(0, 2) : [first, second].map((word) => Array.from(word)[0]);
  return letters.join('').toUpperCase();
}
