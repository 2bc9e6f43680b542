import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type AccountProcessStage, dataOf, setAccountProcessStage } from '../../../support/stages/account/process.ts';

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

let stage: AccountProcessStage;

beforeAll(async () => {
  stage = await setAccountProcessStage();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

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
      const response = await fetch(`${stage.origin}${path}`);
      const body = await response.text();
      expect(response.status).toBeLessThan(500);
      if ((response.headers.get('content-type') ?? '').startsWith('text/html')) expectHarmless(body);
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

test.each(['=1+1', '+1+1', '-1+1', '@SUM(1)', '\tx', '=HYPERLINK("https://evil.example")'])(
  'a spreadsheet that opens a CSV does not calculate %j',
  async (formula) => {
    const { client, wallet, accountId } = await stage.member();
    await stage.access.pool.query(
      `insert into x402_payments (network, asset, pay_to, payer, nonce, amount, valid_before, status, request,
         request_hash, signature_hash, body, header, tx_hash, confirmed, settled_at, delivered_at)
       values ('eip155:84532', '0x036cbd53842c5426634e7929541ec2318f3dcf7e', '0xbb', $1, '0x01', 10000, 1, 'settled', jsonb_build_object('q', $2::text,
         'type', 'all', 'limit', 10, 'page', 1), repeat('a', 64), repeat('b', 64), '{}', 'h',
         '0x' || repeat('c', 64), true, now(), now())`,
      [wallet.address.toLowerCase(), formula],
    );
    const [payment] = dataOf<{ payments: { id: number }[] }>(await client.get('payments')).payments;
    for (const path of ['payments.csv', `payments/${payment?.id}/receipt?format=csv`, 'usage.csv']) {
      const answer = await client.get(path);
      expect({ path, status: answer.status }).toEqual({ path, status: 200 });
      expect(answer.headers.get('content-type')).toMatch(/^text\/csv/);
      expect(answer.headers.get('content-disposition')).toMatch(/^attachment/);
      expect(answer.text).not.toMatch(/(?:^|[,\n])"?[=+@\t]/);
    }
    expect(accountId).toBeGreaterThan(0);
  },
);
