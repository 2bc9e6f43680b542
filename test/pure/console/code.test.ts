import { execFileSync } from 'node:child_process';
import { stripTypeScriptTypes } from 'node:module';
import { snippet, snippetLanguages } from '../../../console/shared/search/code.ts';

const origin = 'https://search.example';
const path = '/api/v1/search';
/** Any text that a user may type. */
const awkward = `it's "$(touch x)" \`y\` \\ ü 𝒳 \u2028 <b>`;
const params = new URLSearchParams([
  ['type', 'companies'],
  ['query', awkward],
  ['tag', 'a'],
  ['tag', 'b'],
]);

test('curl receives the parameters as typed, whatever a shell would do with them', () => {
  const code = snippet('curl', origin, { path, params });
  // In place of curl, a program that prints what it is given.
  const command = code.replace(/^curl/, '"$NODE" -e \'console.log(JSON.stringify(process.argv.slice(1)))\' --');
  const out = execFileSync('/bin/sh', ['-c', command], {
    env: { NODE: process.execPath, API_KEY: 'es_test_x' },
    encoding: 'utf8',
  });
  expect(JSON.parse(out)).toEqual([
    '-G',
    `${origin}${path}`,
    '--data-urlencode',
    'type=companies',
    '--data-urlencode',
    `query=${awkward}`,
    '--data-urlencode',
    'tag=a',
    '--data-urlencode',
    'tag=b',
    '-H',
    'Authorization: Bearer es_test_x',
  ]);
});

test('TypeScript requests the same URL', () => {
  const code = stripTypeScriptTypes(snippet('typescript', origin, { path, params }));
  const program = `
    globalThis.fetch = async (url, { headers }) => ({ json: async () => [String(url), headers] });
    ${code}`;
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    env: { API_KEY: 'es_test_x' },
    encoding: 'utf8',
  });
  expect(JSON.parse(out)).toEqual([`${origin}${path}?${params}`, { Authorization: 'Bearer es_test_x' }]);
});

test('Python receives the parameters as JSON literals, which it reads the same way', () => {
  expect(snippet('python', origin, { path, params: new URLSearchParams({ query: 'a "b" \\ c' }) })).toBe(`import os
import requests

response = requests.get(
    "https://search.example/api/v1/search",
    params=[
        ("query", "a \\"b\\" \\\\ c"),
    ],
    headers={"Authorization": f"Bearer {os.environ['API_KEY']}"},
    timeout=10,
)
print(response.json())`);
});

test.each(snippetLanguages)('%s fetches a record without parameters', (language) => {
  const code = snippet(language, origin, { path: '/api/v1/companies/plover-spire' });
  expect(code).toContain('https://search.example/api/v1/companies/plover-spire');
  expect(code).toContain('API_KEY');
  expect(code).not.toMatch(/params|-G|URLSearchParams/);
});
