import { forFile } from '../../../support/for-file.ts';
import { dataOf, setAccountProcessStage } from '../../../support/stages/account/process.ts';

// Texts by strangers on server-rendered pages: in elements, in attributes, in the title, and in data blocks, which end at
// the first "</script". A browser test covers the pages' own scripts.

const texts = [
  '<script>globalThis.owned = 1</script>',
  '"><img src=x onerror="globalThis.owned = 1">',
  "'><svg/onload=globalThis.owned=1>",
  '</title><script>globalThis.owned = 1</script>',
  '</script><script>globalThis.owned = 1</script>',
  '<!--<script>',
  ']]><script>globalThis.owned = 1</script>',
  '{{constructor.constructor("globalThis.owned = 1")()}}',
  '\u2028globalThis.owned = 1\u2029',
  '&lt;script&gt;globalThis.owned = 1&lt;/script&gt;',
];

const stage = await forFile(setAccountProcessStage());

test.each(texts)('an entity named %j is a page without a script of its', async (text) => {
  const { rows } = await stage.access.pool.query<{ id: number }>(
    `insert into companies (id, name, slug, tagline, overview, tags, website, city, country, links)
     values ((select max(id) + 1 from companies where id < 1000000), $1, $2, $1, $1, array[$1], 'javascript:alert(1)', $1, $1,
       jsonb_build_object($1::text, $1::text, 'x', 'javascript:alert(1)'))
     returning id`,
    [text, `slug-${Buffer.from(text).toString('hex').slice(0, 60)}`],
  );
  const response = await fetch(`${stage.origin}/companies/${rows[0]?.id}`);
  const html = await response.text();
  expect(response.status).toBe(200);
  expectHarmless(html);
});

function expectHarmless(html: string): void {
  const scripts = [...html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script\s*>/gi)];
  for (const [, attributes = '', content = ''] of scripts) {
    if (/type="application\/(?:ld\+)?json"/.test(attributes)) {
      expect(() => JSON.parse(content)).not.toThrow();
      expect(content).not.toMatch(/<!--|<\/?script/i);
    } else {
      expect(attributes).toMatch(/ src="\/console\/assets\//);
      expect(content.trim()).toBe('');
    }
  }
  const markup = html.replaceAll(/<script\b[^>]*>[\s\S]*?<\/script\s*>/gi, '');
  expect(markup).not.toMatch(/<(?:img|svg)[^>]*\bon\w+=/i);
  expect(markup).not.toMatch(/<script\b(?![^>]* src=)/i);
  expect(markup).not.toMatch(/(?:href|src|action)\s*=\s*["']?\s*javascript:/i);
  expect(markup).not.toMatch(/\son\w+\s*=\s*["']/i);
  expect(markup).not.toMatch(/\sstyle\s*=/i);
}

test.each(['"><script>1</script>', "'/><svg onload=1>", '</script><script>1</script>'])(
  'the address %j is not repeated as markup',
  async (text) => {
    const slug = encodeURIComponent(text);
    for (const path of [
      `/companies/${slug}`,
      `/search?query=${slug}`,
      `/search?type=${slug}`,
      `/${slug}`,
      `/account/${slug}`,
    ]) {
      // Without an index, the search page shows an error. It still has the text in its search box.
      const response = await fetch(`${stage.origin}${path}`, { headers: { accept: 'text/html' } });
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expectHarmless(await response.text());
    }
  },
);

test("an account's and a key's names come back as data, with a type that no browser takes for a page", async () => {
  const { client, accountId } = await stage.member();
  for (const [n, text] of texts.entries()) {
    await stage.access.pool.query('update accounts set name = $2 where id = $1', [
      accountId,
      `${n} ${text.replaceAll(/[\u2028\u2029]/g, ' ').trim()}`,
    ]);
    const answer = await client.get('session');
    expect(dataOf<{ account: { name: string } }>(answer).account.name).toContain(String(n));
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  }
});
