import type { DemoConfig } from './config.ts';

export interface DemoAddresses {
  readonly api: string;
  readonly console: string;
}

export function demoInstructions(
  config: DemoConfig,
  { api: url, console }: DemoAddresses,
  key: string,
  name: string | undefined,
): string {
  const curl = `curl -s -H 'Authorization: Bearer ${key}'`;
  return [
    '',
    `Open ${console} to search, or for a key of your own: Sign in → Use the demo wallet → Create key.`,
    '',
    `The API is ${url}. Try, in another terminal:`,
    '',
    ...(name === undefined
      ? ['companies', 'all'].map((type) => `  ${curl} '${url}/api/v1/search?type=${type}'`)
      : [
          `  ${curl} '${url}/api/v1/search?type=companies&query=${encoded(name)}'`,
          `  ${curl} '${url}/api/v1/search?type=all&query=${encoded(misspelt(name))}'`,
        ]),
    `  ${curl} '${url}/api/v1/search?type=events&limit=3'`,
    '',
    'Without a key, one search for one cent (of play money), paid by the published client:',
    '',
    `  ${settingsOf(config)}npm run demo:pay -- ${quoted(name ?? 'exchange')}`,
    '',
    'Ctrl-C stops everything and keeps the data.',
  ].join('\n');
}

/** Returns the name with a typical typo: two neighbouring letters of its longest word swapped. */
export function misspelt(name: string): string {
  const [longest = ''] = name.split(' ').sort((a, b) => b.length - a.length);
  const letters = Array.from(longest);
  const at = Math.floor(letters.length / 2);
  const [here, after] = letters.slice(at - 1, at + 1);
  if (here === undefined || after === undefined) return name;
  return name.replace(longest, () => [...letters.slice(0, at - 1), after, here, ...letters.slice(at + 1)].join(''));
}

/** Encodes a text for URLs, including quotes, which would end a shell's string. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll("'", '%27');
}

function settingsOf({ port, state }: DemoConfig): string {
  return `${port === 3000 ? '' : `PORT=${port} `}${state === '.local/demo' ? '' : `STATE=${quoted(state)} `}`;
}

/** Quotes a text as one word for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
