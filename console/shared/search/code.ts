export const snippetLanguages = ['curl', 'typescript', 'python'] as const;
export type SnippetLanguage = (typeof snippetLanguages)[number];

export const snippetLabels: Readonly<Record<SnippetLanguage, string>> = {
  curl: 'curl',
  typescript: 'TypeScript',
  python: 'Python',
};

/**
 * A request of the keyed API as a program would send it. The key is taken from the environment.
 * @param origin scheme, host and port
 * @param path such as `/api/v1/search`
 */
export function snippet(
  language: SnippetLanguage,
  origin: string,
  path: string,
  params = new URLSearchParams(),
): string {
  return { curl, typescript, python }[language](origin, path, params);
}

function curl(origin: string, path: string, params: URLSearchParams): string {
  const pairs = [...params].map(([name, value]) => `  --data-urlencode ${shellQuoted(`${name}=${value}`)}`);
  const lines = [
    `curl ${pairs.length === 0 ? '' : '-G '}${shellQuoted(`${origin}${path}`)}`,
    ...pairs,
    '  -H "Authorization: Bearer $API_KEY"',
  ];
  return lines.join(' \\\n');
}

/** Quotes a text for a shell. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function typescript(origin: string, path: string, params: URLSearchParams): string {
  const pairs = [...params].map(([name, value]) => `  [${JSON.stringify(name)}, ${JSON.stringify(value)}],`);
  const query = pairs.length === 0 ? [] : ['url.search = String(new URLSearchParams([', ...pairs, ']));'];
  return [
    `const url = new URL(${JSON.stringify(`${origin}${path}`)});`,
    ...query,
    'const response = await fetch(url, {',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the template is of the program that is shown.
    '  headers: { Authorization: `Bearer ${process.env.API_KEY}` },',
    '});',
    'const { data } = await response.json();',
    'console.log(data);',
  ].join('\n');
}

/** Python accepts JSON's strings. */
function python(origin: string, path: string, params: URLSearchParams): string {
  const pairs = [...params].map(([name, value]) => `        (${JSON.stringify(name)}, ${JSON.stringify(value)}),`);
  const query = pairs.length === 0 ? [] : ['    params=[', ...pairs, '    ],'];
  return [
    'import os',
    'import requests',
    '',
    'response = requests.get(',
    `    ${JSON.stringify(`${origin}${path}`)},`,
    ...query,
    '    headers={"Authorization": f"Bearer {os.environ[\'API_KEY\']}"},',
    '    timeout=10,',
    ')',
    'print(response.json()["data"])',
  ].join('\n');
}
