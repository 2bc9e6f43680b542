import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { type Hex, isHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { kindNames } from '../../src/kinds/kind.ts';
import { findChromium, launchChromium } from '../browser/chromium.ts';
import { type AccountClient, accountClient } from '../lib/account-client.ts';

/**
 * `npm run screenshots -- URL FOLDER [--key 0x…] [--path PATH]… [--webp]`: every page of a console as PNG files, at the
 * width of a desktop and of a phone, light and dark; or, small enough for documents, its visible part as WebP.
 * Signs in with the key, or with the play wallet that the console offers.
 */

const usage = 'Usage: npm run screenshots -- URL FOLDER [--key 0x…] [--path /search?query=…]… [--webp]';

const widths = [
  [1280, 800],
  [390, 844],
] as const;
const webpQuality = 70;
const colorSchemes = ['light', 'dark'] as const;

/** Public pages, and pages of signed-in users. */
const publicPaths = [
  '/',
  '/search?query=exchange&type=companies&facets=country',
  '/account/sign-in',
  '/account/invitation',
];
const accountPaths = ['keys', 'usage', 'payments', 'security', 'operator'].map((page) => `/account/${page}`);

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { key: { type: 'string' }, path: { type: 'string', multiple: true }, webp: { type: 'boolean' } },
  });
  const [url, folder] = positionals;
  if (url === undefined || folder === undefined || !URL.canParse(url)) {
    process.stderr.write(`${usage}\n`);
    return 1;
  }
  const installed = await findChromium();
  if (installed === null) {
    process.stderr.write('There is no browser: install Chrome or Chromium, or name one with CHROME_PATH.\n');
    return 1;
  }
  if (values.key !== undefined && !isHex(values.key)) {
    process.stderr.write('--key must be a private key in hexadecimal digits, with 0x.\n');
    return 1;
  }
  const { origin } = new URL(url);
  const client = accountClient(origin);
  const key = values.key ?? (await demoKey(client));
  if (key !== null) await client.signIn(privateKeyToAccount(key));
  const [open, own] =
    values.path === undefined
      ? [[...publicPaths, ...(await entityPaths(client))], key === null ? [] : accountPaths]
      : [[], values.path];
  mkdirSync(folder, { recursive: true });
  const browser = await launchChromium(installed);
  try {
    for (const colorScheme of colorSchemes) {
      for (const [width, height] of widths) {
        const look = { colorScheme, viewport: { width, height } };
        const where = { origin, folder, webp: values.webp === true };
        await shoot(browser, { ...look, ...where, cookies: new Map(), paths: open });
        await shoot(browser, { ...look, ...where, cookies: client.cookies, paths: own });
      }
    }
    return 0;
  } finally {
    await browser.close();
  }
}

const sessionSchema = z.object({
  data: z.object({ demo_wallet: z.object({ private_key: z.templateLiteral(['0x', z.string()]) }).nullable() }),
});

/** The key of the play wallet that the console offers; null where it offers none. */
async function demoKey(client: AccountClient): Promise<Hex | null> {
  const { data } = sessionSchema.safeParse((await client.get('session')).body);
  return data?.data.demo_wallet?.private_key ?? null;
}

interface Round {
  readonly colorScheme: (typeof colorSchemes)[number];
  readonly viewport: { readonly width: number; readonly height: number };
  readonly cookies: ReadonlyMap<string, string>;
  readonly paths: readonly string[];
  readonly origin: string;
  readonly folder: string;
  readonly webp: boolean;
}

async function shoot(browser: Browser, { cookies, paths, origin, folder, webp, ...look }: Round): Promise<void> {
  await using context = await browser.newContext({ ...look, reducedMotion: 'reduce' });
  await context.addCookies(Array.from(cookies, ([name, value]) => ({ name, value, url: origin })));
  const page = await context.newPage();
  for (const path of paths) {
    await page.goto(`${origin}${path}`, { waitUntil: 'networkidle' });
    const file = join(folder, `${fileName(path)}-${look.viewport.width}-${look.colorScheme}.${webp ? 'webp' : 'png'}`);
    writeFileSync(file, webp ? await webpOf(page) : await page.screenshot({ fullPage: true }));
    process.stdout.write(`${file}\n`);
  }
}

/** Playwright has no WebP, the browser itself has. */
async function webpOf(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: webpQuality });
  return Buffer.from(data, 'base64');
}

function fileName(path: string): string {
  return (
    path
      .replace(/^\//, '')
      .replaceAll(/[^a-z0-9]+/gi, '-')
      .slice(0, 60) || 'start'
  );
}

const foundSchema = z.object({ data: z.object({ results: z.array(z.object({ slug: z.string() })) }) });

/** One entity of each kind, as the search of the pages finds them; none where visitors may not search. */
async function entityPaths(client: AccountClient): Promise<readonly string[]> {
  const found = kindNames.map(async (kind) => {
    const { data } = foundSchema.safeParse((await client.get(`search?type=${kind}&limit=1`)).body);
    return (data?.data.results ?? []).map(({ slug }) => `/${kind}/${encodeURIComponent(slug)}`);
  });
  return (await Promise.all(found)).flat();
}

process.exitCode = await main(process.argv.slice(2));
