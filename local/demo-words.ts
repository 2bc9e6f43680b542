import { z } from 'zod';

const firstItem = z.object({ data: z.object({ results: z.array(z.object({ name: z.string() })).min(1) }) });

/** Three command lines that work when pasted, made of what is really there; for people, on stderr. */
export async function whatToTry(url: string, key: string): Promise<string> {
  const curl = `curl -s -H 'Authorization: Bearer ${key}'`;
  const name = await mostProminent(url, key);
  return [
    '',
    `Serving ${url}. Try, in another terminal:`,
    '',
    ...(name === undefined
      ? [`  ${curl} '${url}/api/v1/search?type=companies'`]
      : [
          `  ${curl} '${url}/api/v1/search?type=companies&query=${encoded(name)}'`,
          `  ${curl} '${url}/api/v1/search?type=all&query=${encoded(misspelt(name))}'`,
        ]),
    `  ${curl} '${url}/api/v1/search?type=events&limit=3'`,
    '',
    'Without a key, one search for one cent (of play money), paid by the published client:',
    '',
    `  npm run demo:pay -- ${name === undefined ? 'exchange' : JSON.stringify(name)}`,
    '',
    'Ctrl-C stops everything and keeps the data.',
  ].join('\n');
}

async function mostProminent(url: string, key: string): Promise<string | undefined> {
  const response = await fetch(`${url}/api/v1/search?type=companies&limit=1`, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(10_000),
  });
  const parsed = firstItem.safeParse(await response.json());
  return parsed.success ? parsed.data.data.results[0]?.name : undefined;
}

/** The name with two neighbouring letters of its longest word in the wrong order, as fingers do it. */
function misspelt(name: string): string {
  const [longest = ''] = name.split(' ').sort((a, b) => b.length - a.length);
  const letters = Array.from(longest);
  const at = Math.floor(letters.length / 2);
  const [here, after] = letters.slice(at - 1, at + 1);
  if (here === undefined || after === undefined) return name;
  return name.replace(longest, () => [...letters.slice(0, at - 1), after, here, ...letters.slice(at + 1)].join(''));
}

/** Percent-encoded, also where a shell's quotes would end. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll("'", '%27');
}
