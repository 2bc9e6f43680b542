import type { Page } from 'playwright-core';
import { axeViolations } from '../../support/browser/axe.ts';
import { browserTest, desktop, type OpenedPage, phone } from '../../support/browser/browser.ts';
import { forFile } from '../../support/for-file.ts';
import { setConsoleStage } from '../../support/stages/console.ts';
import { openSample } from '../../support/stages/features.ts';

const stage = await forFile(setConsoleStage({}, openSample()));
const kinds = ['companies', 'people', 'investors', 'events'];
const entities = await Promise.all(
  kinds.map(async (kind) => {
    const { rows } = await stage.pool.query<{ slug: string }>(`select slug from ${kind} order by id limit 1`);
    return `/${kind}/${rows[0]?.slug}`;
  }),
);

const visitors = [
  '/',
  '/search',
  '/search?query=exchange&type=companies',
  '/search?query=qqqqzzzz',
  '/search?query=hackathons+in+asia+next+month',
  '/search?query=startups+in+europe&literal=true',
  '/docs',
  '/account/sign-in',
  '/account/invitation',
  '/companies/no-such-company',
];
const members = ['keys', 'usage', 'payments', 'security', 'operator'].map((page) => `/account/${page}`);

/** Requests to other origins than ours. */
function foreignRequests(page: Page): string[] {
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== stage.origin) foreign.push(request.url());
  });
  return foreign;
}

/** Horizontal overflow of the page, a table or tabs, in pixels. */
async function tooWide(page: Page): Promise<unknown> {
  return page.evaluate(`Math.max(0, ...[document.documentElement, ...document.querySelectorAll('.table-frame, .tab-list')]
    .map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth))`);
}

/** Colours and sizes have stopped changing. */
async function drawn(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    do {
      await frame();
      await frame();
    } while (document.getAnimations().length > 0);
  })()`);
}

/** 1280 CSS pixels at 400 % are 320 (WCAG 1.4.10). */
const zoomed = { width: 320, height: 640 };

/** The largest layout shift of a page while it loads. */
const shiftMax = 0.02;

/** Returns the problems of a page in both colour schemes, and at the widths of a desktop, a phone and a zoomed screen. */
async function faultsOf({ page, settled }: OpenedPage): Promise<readonly string[]> {
  await settled();
  const faults: string[] = [];
  const shift = Number(await page.evaluate('window.layoutShift'));
  if (shift > shiftMax) faults.push(`layout shift of ${shift}`);
  await page.evaluate(`for (const details of document.querySelectorAll('main details')) details.open = true`);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await drawn(page);
    faults.push(...(await axeViolations(page, colorScheme)).map((violation) => `${colorScheme}: ${violation}`));
  }
  for (const viewport of [phone, zoomed, desktop]) {
    await page.setViewportSize(viewport);
    await drawn(page);
    const pixels = await tooWide(page);
    if (pixels !== 0) faults.push(`${pixels} pixels too wide for ${viewport.width}`);
  }
  return faults;
}

// Without motion, so that no colour is still changing when it is checked.
const still = { reducedMotion: 'reduce' } as const;

browserTest('public pages are accessible, obey the CSP and load only from their own origin', async () => {
  await using opened = await stage.browser.open(still);
  const { page, complaints } = opened;
  const foreign = foreignRequests(page);
  for (const path of [...visitors, ...entities]) {
    // Each page loads at the last width of the page before, or on a phone.
    if (path.includes('query=')) await page.setViewportSize(phone);
    await page.goto(`${stage.origin}${path}`);
    expect({ path, faults: await faultsOf(opened) }).toEqual({ path, faults: [] });
    // The one missing address is 404, which the console logs.
    if (path.includes('no-such')) complaints.splice(0);
    expect({ path, complaints }).toEqual({ path, complaints: [] });
  }
  expect(foreign).toEqual([]);
});

browserTest('account pages and dialogs are accessible, obey the CSP and load only from their origin', async () => {
  await using opened = await stage.openSignedIn('/account/keys', still);
  const { page, client, accountId, complaints } = opened;
  const foreign = foreignRequests(page);
  await stage.pool.query(`update accounts set role = 'operator' where id = $1`, [accountId]);
  await client.post('keys', { name: 'a key with a name that is as long as names may well be', environment: 'live' });
  await stage.pool.query(
    `insert into account_calls (account_id, day, endpoint, outcome, calls)
     select $1, current_date - n, 'search', case when n % 7 = 0 then 'rate_limited' else 'answered' end, 10 + n
     from generate_series(0, 80) as n`,
    [accountId],
  );
  for (const path of members) {
    await page.goto(`${stage.origin}${path}`);
    expect({ path, faults: await faultsOf(opened) }).toEqual({ path, faults: [] });
    expect({ path, complaints }).toEqual({ path, complaints: [] });
  }
  await page.goto(`${stage.origin}/account/keys`);
  for (const name of ['Create key', /^Rotate/, /^Revoke/]) {
    await page.getByRole('button', { name }).first().click();
    await page.getByRole('dialog').waitFor();
    expect({ name, faults: await faultsOf(opened) }).toEqual({ name, faults: [] });
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  }
  expect(foreign).toEqual([]);
});

browserTest('the API reference filters operations and sends requests', async () => {
  await using opened = await stage.open('/docs');
  const { page } = opened;
  const operations = page.getByRole('article');
  expect(await operations.count()).toBeGreaterThan(10);
  await page.getByLabel('Filter operations').fill('health');
  await operations.nth(1).waitFor({ state: 'detached' });
  await operations.getByText('Try it').click();
  await operations.getByRole('button', { name: 'Send request' }).click();
  await operations.getByRole('status').getByText('"operational"').first().waitFor();
  await page.getByRole('link', { name: 'Entity Search' }).click();
  await page.getByRole('heading', { level: 1, name: /^Search Web3/ }).waitFor();
});

browserTest('the API request of an entity opens below its summary, within the page', async () => {
  await using opened = await stage.open(entities[0] ?? '');
  const summary = opened.page.getByText('API request', { exact: true });
  await summary.click();
  const code = opened.page.getByRole('group').filter({ has: summary }).getByRole('tabpanel');
  const [above, below] = [await summary.boundingBox(), await code.boundingBox()];
  expect(below?.x).toBe(above?.x);
  expect(below?.y).toBeGreaterThan((above?.y ?? 0) + (above?.height ?? 0));
});

browserTest('a visitor who prefers reduced motion sees no animations', async () => {
  await using opened = await stage.open('/search?query=exchange', { reducedMotion: 'reduce' });
  const { page } = opened;
  await opened.settled();
  const moving = await page.evaluate(`[...document.querySelectorAll('*')].filter((element) => {
    const { transitionDuration, animationDuration, animationName } = getComputedStyle(element);
    const longest = (text) => Math.max(...text.split(',').map((part) => Number.parseFloat(part)));
    return longest(transitionDuration) > 0.01 || (animationName !== 'none' && longest(animationDuration) > 0.01);
  }).length`);
  expect(moving).toBe(0);
  expect(await page.evaluate('getComputedStyle(document.documentElement).scrollBehavior')).toBe('auto');
});

browserTest('a printed page has its whole content, dark on light, without boxes and buttons', async () => {
  const { rows } = await stage.pool.query<{ people: number }>(
    `with event as (insert into events (id, name, slug) values (4713, 'Crowded', 'crowded') returning id),
     visits as (insert into event_people (event_id, event_slug, position, person_id)
       select event.id, 'crowded', 4713, people.id
       from event, (select id from people order by id limit 60) as people returning person_id)
     select count(*)::int as people from visits`,
  );
  await using opened = await stage.open('/events/crowded', { colorScheme: 'dark' });
  const { page } = opened;
  await opened.settled();
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  const people = page.getByRole('region', { name: /^People/ }).getByRole('link');
  expect(await people.count()).toBe(rows[0]?.people);
  expect(await page.getByRole('searchbox').or(page.getByRole('button')).or(page.getByRole('tab')).count()).toBe(0);
  expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(22, 25, 29)');
  expect((await page.pdf()).length).toBeGreaterThan(10_000);
});
