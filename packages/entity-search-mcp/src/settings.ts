import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type NetworkName, networks, type OptionName, optionList, options } from './options.ts';
import { isPrivateKey, type WalletSettings } from './payer.ts';

/** The credential of the calls. */
type Access =
  | { readonly kind: 'key'; readonly key: string }
  | ({ readonly kind: 'wallet' } & WalletSettings)
  | { readonly kind: 'none' };

export interface Settings {
  /** The service's base address with a final slash. */
  readonly url: URL;
  readonly access: Access;
  readonly timeoutMs: number;
  /** Warnings about settings that work but are risky. */
  readonly warnings: readonly string[];
}

/** Invalid settings. Each problem is a sentence that names the setting. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** The command line's request: to serve, or to print one of the two texts. */
export type Wish =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'serve'; readonly settings: Settings };

type Env = Readonly<Record<string, string | undefined>>;
type Given = Readonly<Partial<Record<OptionName, string>>>;

/** Reads flags and environment. Throws `SettingsError` with all problems. */
export function readWish(args: readonly string[], env: Env): Wish {
  const flags = parseFlags(args);
  if (flags.help === true) return { kind: 'help' };
  if (flags.version === true) return { kind: 'version' };
  const given = Object.fromEntries(
    optionList.flatMap(({ name, flag, env: variable }) => {
      const value = (flag === undefined ? undefined : flags[flag]) ?? env[variable];
      return typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : [];
    }),
  );
  return { kind: 'serve', settings: readSettings(given) };
}

function parseFlags(args: readonly string[]): Readonly<Record<string, unknown>> {
  const secret = args.find((arg) => /^--(api-?key|wallet(-key)?|private-key)(=|$)/.test(arg));
  if (secret !== undefined) {
    throw new SettingsError([
      `${secret.replace(/=.*/, '')} isn't a flag, because every program on this machine could read it: set ${options.key.env} or ${options.wallet.env}, or name a file with --${options.keyFile.flag} or --${options.walletFile.flag}.`,
    ]);
  }
  const flags = optionList.flatMap(({ flag }) => (flag === undefined ? [] : [[flag, { type: 'string' as const }]]));
  try {
    return parseArgs({
      args: [...args],
      options: { ...Object.fromEntries(flags), help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } },
    }).values;
  } catch (error) {
    throw new SettingsError([`${error instanceof Error ? error.message : String(error)} Try --help.`]);
  }
}

function readSettings(given: Given): Settings {
  const problems: string[] = [];
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      problems.push(...error.problems);
      return undefined;
    }
  };
  const url = attempt(() => readUrl(given.url));
  const access = attempt(() => readAccess(given));
  const timeoutMs = attempt(() => readTimeout(given.timeout ?? options.timeout.default));
  if (url === undefined || access === undefined || timeoutMs === undefined) throw new SettingsError(problems);
  return { url, access, timeoutMs, warnings: warningsOf(url, access, given) };
}

const fail = (option: OptionName, problem: string): never => {
  throw new SettingsError([`${options[option].env} ${problem}`]);
};

function readUrl(text: string | undefined): URL {
  const example = 'such as https://api.example.com';
  if (text === undefined)
    return fail('url', `(or --url) is missing: give the base address of the service, ${example}.`);
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    return fail(
      'url',
      `must be an address with http or https, ${example}, and is ${JSON.stringify(text.slice(0, 200))}.`,
    );
  }
  if (url.username !== '' || url.password !== '') return fail('url', 'must have no user name or password in it.');
  if (url.search !== '' || url.hash !== '') return fail('url', 'must end with its path, without ? and #.');
  // The address of the MCP endpoint also names the service.
  url.pathname = `${url.pathname.replace(/\/+$/, '').replace(/\/mcp$/, '')}/`;
  return url;
}

function readAccess(given: Given): Access {
  const key = secretOf(given, 'key', 'keyFile');
  if (key !== undefined) {
    if (!/^[\x21-\x7e]{8,512}$/.test(key) || key.includes('${')) {
      fail('key', 'must be an API key such as es_live_…; what is set has other characters, or is a placeholder.');
    }
    return { kind: 'key', key };
  }
  const privateKey = secretOf(given, 'wallet', 'walletFile');
  if (privateKey === undefined) return { kind: 'none' };
  if (!isPrivateKey(privateKey)) fail('wallet', 'must be a private key: 0x and 64 hexadecimal digits.');
  return {
    kind: 'wallet',
    privateKey,
    network: readNetwork(given.network ?? options.network.default),
    perCallUsd: readDollars('perCall', given.perCall ?? options.perCall.default),
    perDayUsd: readDollars('perDay', given.perDay ?? options.perDay.default),
  };
}

function secretOf(given: Given, direct: 'key' | 'wallet', file: 'keyFile' | 'walletFile'): string | undefined {
  const path = given[file];
  if (given[direct] !== undefined && path !== undefined)
    fail(file, `and ${options[direct].env} are both set: keep one.`);
  if (path === undefined) return given[direct];
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    return fail(
      file,
      `names ${path}, which can't be read (${error instanceof Error ? error.message : String(error)}).`,
    );
  }
}

function readNetwork(text: string): NetworkName {
  const known = Object.keys(networks);
  for (const name of known) if (name === text && isNetwork(name)) return name;
  return fail('network', `must be one of ${known.join(', ')}, and is ${JSON.stringify(text.slice(0, 60))}.`);
}

const isNetwork = (name: string): name is NetworkName => Object.hasOwn(networks, name);

function readDollars(option: 'perCall' | 'perDay', text: string): string {
  const isAmount = /^\d{1,4}(\.\d{1,6})?$/.test(text) && Number(text) > 0 && Number(text) <= 1_000;
  if (isAmount) return text;
  return fail(
    option,
    `must be an amount in dollars from 0.000001 to 1000, such as 0.05, and is ${JSON.stringify(text.slice(0, 60))}.`,
  );
}

function readTimeout(text: string): number {
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  return seconds >= 1 && seconds <= 600 ? seconds * 1_000 : fail('timeout', 'must be a whole number from 1 to 600.');
}

function warningsOf(url: URL, access: Access, given: Given): readonly string[] {
  const warnings: string[] = [];
  const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'http:' && !loopback) {
    warnings.push(
      `${url.origin} is not encrypted: others on the network can read searches and the API key. Use https.`,
    );
  }
  if (access.kind === 'none') {
    warnings.push(
      `Neither ${options.key.env} nor ${options.wallet.env} is set: tools are listed, and calls are refused with what to do.`,
    );
  }
  if (access.kind === 'key' && (given.wallet ?? given.walletFile) !== undefined) {
    warnings.push('There is an API key, so the wallet is not used.');
  }
  return warnings;
}
