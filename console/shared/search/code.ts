export const snippetLanguages = ['curl', 'typescript', 'python'] as const;
export type SnippetLanguage = (typeof snippetLanguages)[number];

export const snippetLabels: Readonly<Record<SnippetLanguage, string>> = {
  curl: 'curl',
  typescript: 'TypeScript',
  python: 'Python',
};

export interface SnippetRequest {
  /** GET by default. */
  readonly method?: string;
  /** Such as `/api/v1/search`. */
  readonly path: string;
  readonly params?: URLSearchParams;
  /** True by default. */
  readonly needsKey?: boolean;
  /** JSON. */
  readonly body?: string | null;
}

/**
 * Returns a request as the code of a program that prints the answer. The key is taken from the environment.
 * @param origin scheme, host and port
 */
export function snippet(language: SnippetLanguage, origin: string, request: SnippetRequest): string {
  const { method = 'get', path, params = new URLSearchParams(), needsKey = true, body = null } = request;
  const parts = { method, url: `${origin}${path}`, params: [...params], needsKey, body };
  return { curl, typescript, python }[language](parts);
}

interface Parts extends Required<Omit<SnippetRequest, 'path' | 'params'>> {
  readonly url: string;
  readonly params: readonly (readonly [name: string, value: string])[];
}

function curl({ url, params, needsKey, body }: Parts): string {
  const lines = [
    `curl ${params.length === 0 ? '' : '-G '}${shellQuoted(url)}`,
    ...params.map(([name, value]) => `  --data-urlencode ${shellQuoted(`${name}=${value}`)}`),
    ...(needsKey ? ['  -H "Authorization: Bearer $API_KEY"'] : []),
    ...(body === null ? [] : ["  -H 'Content-Type: application/json'", `  -d ${shellQuoted(body)}`]),
  ];
  return lines.join(' \\\n');
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function typescript({ method, url, params, needsKey, body }: Parts): string {
  const pairs = params.map(([name, value]) => `  [${JSON.stringify(name)}, ${JSON.stringify(value)}],`);
  const query = pairs.length === 0 ? [] : ['url.search = String(new URLSearchParams([', ...pairs, ']));'];
  const headers = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the template is of the program that is shown.
    ...(needsKey ? ['Authorization: `Bearer ${process.env.API_KEY}`'] : []),
    ...(body === null ? [] : ["'Content-Type': 'application/json'"]),
  ];
  const options = [
    ...(method === 'get' ? [] : [`  method: ${JSON.stringify(method.toUpperCase())},`]),
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(body === null ? [] : [`  body: JSON.stringify(${body.replaceAll('\n', '\n  ')}),`]),
  ];
  return [
    `const url = new URL(${JSON.stringify(url)});`,
    ...query,
    ...(options.length === 0
      ? ['const response = await fetch(url);']
      : ['const response = await fetch(url, {', ...options, '});']),
    'console.log(JSON.stringify(await response.json(), null, 2));',
  ].join('\n');
}

/** Python accepts JSON's strings, and its other values in these examples. */
function python({ method, url, params, needsKey, body }: Parts): string {
  const pairs = params.map(([name, value]) => `        (${JSON.stringify(name)}, ${JSON.stringify(value)}),`);
  return [
    ...(needsKey ? ['import os'] : []),
    'import requests',
    '',
    `response = requests.${method}(`,
    `    ${JSON.stringify(url)},`,
    ...(pairs.length === 0 ? [] : ['    params=[', ...pairs, '    ],']),
    ...(body === null ? [] : [`    json=${body.replaceAll('\n', '\n    ')},`]),
    ...(needsKey ? ['    headers={"Authorization": f"Bearer {os.environ[\'API_KEY\']}"},'] : []),
    '    timeout=10,',
    ')',
    'print(response.json())',
  ].join('\n');
}
