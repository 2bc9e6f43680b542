import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { daysText } from '../../../console/shared/format.ts';
import { readValue } from '../../../src/postgres/statements.ts';
import { seriesOf } from '../../../src/search/options/series.ts';
import { axeViolations } from '../../support/browser/axe.ts';
import { browserTest, hasFocus, type OpenedPage } from '../../support/browser/browser.ts';
import { forFile } from '../../support/for-file.ts';
import { setConsoleStage } from '../../support/stages/console.ts';
import { openSample } from '../../support/stages/features.ts';
import { until } from '../../support/until.ts';

const stage = await forFile(setConsoleStage({}, openSample()));
/** A company of the sample that is related to a person. */
const { rows } = await stage.pool.query<{ name: string; slug: string; person: string }>(
  `select c.name, c.slug, p.name as person from companies c
   join roles r on r.company_id = c.id join people p on p.id = r.person_id
   where length(c.name) > 9 and c.name ~ '^[A-Za-z ]+$' order by c.id limit 1`,
);
const [company = { name: '', slug: '', person: '' }] = rows;

const search = (page: Page) => page.getByRole('combobox', { name: /^Search/ });
const count = (page: Page) => page.getByRole('status').filter({ hasText: /result/ });
const shows = (page: Page, text: RegExp) => count(page).filter({ hasText: text }).waitFor();
const total = async (page: Page) => Number.parseInt((await count(page).textContent())?.replace(',', '') ?? '', 10);
const results = (page: Page) => page.getByRole('heading', { level: 3 });
const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
const scrollPosition = (page: Page) => page.evaluate<number>('scrollY');
const isScrolledTo = (page: Page, wanted: number) =>
  until(async () => (await scrollPosition(page)) === wanted, `scrolling to ${wanted}`);

/** Returns the name and the text of the file that a link downloads. */
async function download(page: Page, link: string) {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: link }).click()]);
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
}

async function openSearch(parameters: Readonly<Record<string, string>>): Promise<OpenedPage> {
  const opened = await stage.open(`/search?${new URLSearchParams(parameters)}`);
  await count(opened.page).waitFor();
  return opened;
}

browserTest('a visitor finds a company by keyboard alone, and follows a link to a person', async () => {
  await using opened = await stage.open('/');
  const { page } = opened;
  await page.keyboard.press('Control+k');
  expect(await hasFocus(search(page))).toBe(true);
  await page.keyboard.type(company.name.slice(0, 6), { delay: 20 });
  await page.getByRole('option').first().waitFor();
  await page.keyboard.press('ArrowDown');
  expect(await page.getByRole('option').first().getAttribute('aria-selected')).toBe('true');
  await page.keyboard.press('Escape');
  await page.getByRole('option').first().waitFor({ state: 'hidden' });
  await page.keyboard.press('End');
  await page.keyboard.type(company.name.slice(6));
  await page.keyboard.press('Enter');
  await count(page).waitFor();
  const address = new URL(page.url());
  expect([address.pathname, address.searchParams.get('query')]).toEqual(['/search', company.name]);
  await tabTo(page, company.name);
  await page.keyboard.press('Enter');
  await title(page, company.name);
  expect(new URL(page.url()).pathname).toBe(`/companies/${company.slug}`);
  await tabTo(page, company.person);
  await page.keyboard.press('Enter');
  await title(page, company.person);
  await page.goBack();
  await title(page, company.name);
});

/** Moves through the page by keyboard, to the link of that name. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let step = 0; step < 150; step += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate('document.activeElement?.closest("a")?.textContent ?? ""');
    if (typeof focused === 'string' && focused.includes(name)) return;
  }
  throw new Error(`No link to ${name} is reached by Tab.`);
}

/** Opens the request of the search as code, and closes it again. */
async function apiRequest(page: Page): Promise<string> {
  const summary = page.getByText('API request', { exact: true });
  await summary.click();
  const code = page.getByRole('group').filter({ has: summary }).getByRole('tabpanel');
  const text = await code.textContent();
  await summary.click();
  return text ?? '';
}

browserTest('facets narrow the results, and the address bar holds every selection', async () => {
  await using opened = await openSearch({ type: 'companies' });
  const { page } = opened;
  const all = await total(page);
  const country = page.getByRole('group', { name: 'Country' }).getByRole('link').first();
  const [, value = '', counted = ''] = /^(.*?)\s*(\d+)$/.exec((await country.textContent()) ?? '') ?? [];
  await country.click();
  await page.waitForURL(/country=/);
  await shows(page, new RegExp(`^${counted} result`));
  expect(Number(counted)).toBeLessThan(all);
  expect(new URL(page.url()).searchParams.get('country')?.toLowerCase()).toBe(value.toLowerCase());
  await page.getByLabel('Sort').selectOption('name');
  await page.waitForURL(/sort=name/);
  await page.reload();
  await shows(page, new RegExp(`^${counted} result`));
  expect(await page.getByRole('link', { name: `Remove ${value}` }).count()).toBe(1);
  expect(await page.getByLabel('Sort').inputValue()).toBe('name');
  expect(await results(page).getByRole('link').count()).toBeGreaterThan(0);
  // The same by a program.
  const code = await apiRequest(page);
  expect(code).toContain(`country=${value}`);
  await page.goBack();
  await page.waitForURL((url) => !url.searchParams.has('sort'));
  await page.getByRole('link', { name: 'Clear all' }).click();
  await shows(page, new RegExp(`^${all.toLocaleString('en-US')} result`));
});

browserTest('filters are disabled until the counts of the new search arrive', async () => {
  await using opened = await openSearch({ type: 'companies' });
  const { page } = opened;
  const [countries, cities] = ['Country', 'City'].map((name) => page.getByRole('group', { name }).getByRole('link'));
  const answers = Promise.withResolvers<void>();
  await page.route('**/account/api/search?*', async (route) => {
    await answers.promise;
    await route.continue();
  });
  await countries?.first().click();
  await page.getByRole('group', { name: 'City' }).locator('[aria-disabled=true]').first().waitFor();
  await cities?.last().click({ force: true });
  // More values of the same filter find more.
  await countries?.nth(1).click();
  answers.resolve();
  await cities?.and(page.locator(':not([aria-disabled])')).first().waitFor();
  const given = new URL(page.url()).searchParams;
  expect([given.getAll('country').length, given.getAll('city').length]).toEqual([2, 0]);
});

browserTest('without JavaScript, a visitor searches, filters, turns pages and reads an entity', async () => {
  await using opened = await stage.open('/', { javaScriptEnabled: false });
  const { page } = opened;
  await search(page).press('Enter');
  await page.waitForURL(/search/);
  await page.getByRole('tab', { name: 'Companies' }).click();
  await page.waitForURL(/type=companies/);
  expect(await page.title()).toBe('Companies · Entity Search');
  await page.getByRole('link', { name: 'Next' }).click();
  await shows(page, /page 2/);
  const all = await total(page);
  await page.getByRole('group', { name: 'Country' }).getByRole('link').first().click();
  await page.waitForURL(/country=/);
  expect(await total(page)).toBeLessThan(all);
  await search(page).fill(company.name);
  await search(page).press('Enter');
  await page.getByRole('link', { name: company.name }).first().click();
  await title(page, company.name);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await title(page, 'Turn on JavaScript for your account');
  await page.getByRole('link', { name: 'API reference' }).click();
  await title(page, 'API reference');
});

browserTest.each([
  ['/', '/'],
  [`/companies/`, '/'],
  ['/docs', 'Control+k'],
  ['/account/sign-in', 'Meta+k'],
])('on %s, the key %s focuses the search box, and Enter runs the search', async (path, key) => {
  await using opened = await stage.open(path === '/companies/' ? `${path}${company.slug}` : path);
  const { page } = opened;
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
  await page.keyboard.press(key);
  await page.keyboard.type(company.name);
  await page.keyboard.press('Enter');
  await count(page).waitFor();
  expect(new URL(page.url()).searchParams.get('query')).toBe(company.name);
});

browserTest('kinds are tabs with counts that the arrow keys switch', async () => {
  await using opened = await openSearch({ query: 'exchange' });
  const { page } = opened;
  const labels = async () => (await page.getByRole('tab').allTextContents()).slice(1);
  const counted = await labels();
  expect(counted[0]).toMatch(/^Companies \d/);
  const counts = counted.map((label) => Number(/\d+$/.exec(label)?.[0] ?? 0));
  expect(counts.reduce((sum, each) => sum + each)).toBe(await total(page));
  await page.getByRole('tab', { name: 'All' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForURL(/type=companies/);
  await page.keyboard.press('End');
  await page.waitForURL(/type=events/);
  expect(await labels()).toEqual(counted);
  expect(await page.getByRole('tab', { name: 'Events' }).getAttribute('aria-selected')).toBe('true');
});

browserTest('a misspelt name is found, and the page reports a similar spelling', async () => {
  const [longest = ''] = company.name.split(' ').toSorted((a, b) => b.length - a.length);
  const at = Math.floor(longest.length / 2);
  const misspelt = longest.slice(0, at - 1) + longest[at] + longest[at - 1] + longest.slice(at + 1);
  const query = company.name.replace(longest, misspelt);
  await using opened = await openSearch({ query });
  await opened.page.getByText(/similar spelling/i).waitFor();
  await opened.page.getByRole('link', { name: company.name }).first().waitFor();
  await using exact = await openSearch({ query: company.name });
  expect(await exact.page.getByText(/similar spelling/i).count()).toBe(0);
});

browserTest('a page starts at the top, Back restores the position, and no results come with a next step', async () => {
  await using opened = await openSearch({ type: 'companies' });
  const { page } = opened;
  const first = await results(page).first().textContent();
  await page.getByRole('link', { name: 'Next' }).click();
  await page.waitForURL(/page=2/);
  await shows(page, /page 2/);
  expect(await results(page).first().textContent()).not.toBe(first);
  await isScrolledTo(page, 0);
  await results(page).nth(12).scrollIntoViewIfNeeded();
  const scrolled = await scrollPosition(page);
  expect(scrolled).toBeGreaterThan(0);
  await results(page).nth(12).getByRole('link').click();
  await page.waitForURL(/companies\/[^?]/);
  await page.goBack();
  await isScrolledTo(page, scrolled);
  await page.goto(`${stage.origin}/search?page=501`);
  await page.getByText(/^There are only \d+ pages$/).waitFor();
  expect(await count(page).textContent()).not.toContain('page');
  await page.getByRole('link', { name: 'Go to the last page' }).click();
  await results(page).first().waitFor();
  await page.goto(`${stage.origin}/search?query=qqqqzzzzxxxx`);
  await page.getByText(/No results for/).waitFor();
});

browserTest('results can be exported as CSV', async () => {
  await using opened = await openSearch({ type: 'companies', sort: 'name' });
  const { page } = opened;
  const { name, text } = await download(page, 'Export first 100 (CSV)');
  const [head, first, ...others] = text.trimEnd().split('\r\n');
  expect(name).toBe('results.csv');
  expect(head).toBe('entity_type,id,name,slug,headline,city,country,website,tags');
  expect(first).toContain((await results(page).first().textContent()) ?? '?');
  expect(others).toHaveLength(99);
});

browserTest('search results and upcoming events can be added to a calendar', async () => {
  const { rows: events } = await stage.pool.query<{ name: string; slug: string }>(
    `update events set start_date = current_date + 40, end_date = current_date + 42, venue = 'Hall, 1'
     where id = (select id from events where name ~ '^[A-Za-z ]+$' and start_date is not null order by id limit 1)
     returning name, slug`,
  );
  const [{ name, slug } = { name: '', slug: '' }] = events;
  await using opened = await openSearch({ type: 'events' });
  const { page } = opened;
  expect(await page.getByRole('link', { name: 'Add to calendar' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Upcoming events' }).click();
  await page.waitForURL(/starts_from=\d{4}-\d{2}-\d{2}/);
  const query = new URLSearchParams({ type: 'events', query: name, starts_from: '2000-01-01' });
  await page.goto(`${stage.origin}/search?${query}`);
  const ofSearch = await download(page, 'Add to calendar');
  await page.getByRole('link', { name, exact: true }).first().click();
  await title(page, name);
  const ofEvent = await download(page, 'Add to calendar');
  for (const { text } of [ofSearch, ofEvent]) {
    expect(text).toContain(`SUMMARY:${name}\r\n`);
    expect(text).toContain(`URL:${stage.origin}/events/${slug}\r\n`);
  }
  expect(ofEvent.text).toContain('LOCATION:Hall\\, 1');
});

browserTest('an entity links back to its place in the results if it was opened from them', async () => {
  await using opened = await openSearch({ type: 'companies' });
  const { page } = opened;
  const last = results(page).last();
  await last.scrollIntoViewIfNeeded();
  const scrolled = await scrollPosition(page);
  await last.getByRole('link').click();
  const back = page.getByRole('link', { name: 'Back to results' });
  await back.click();
  await page.waitForURL(/search\?type=companies$/);
  await isScrolledTo(page, scrolled);
  await page.goto(`${stage.origin}/companies/${company.slug}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(await back.count()).toBe(0);
});

browserTest('typed text is never rendered as markup', async () => {
  const query = '"><img src=x onerror="document.title=1"><script>document.title=1</script>';
  await using opened = await stage.open(`/search?${new URLSearchParams({ query })}`);
  const { page } = opened;
  await page
    .getByText(/No results for|result/)
    .first()
    .waitFor();
  expect(await page.locator('main img, main script').count()).toBe(0);
  expect(await page.title()).not.toBe('1');
  expect(await search(page).inputValue()).toBe(query);
});

browserTest('similar companies are labelled as similar, not as matches', async () => {
  await using opened = await openSearch({ query: `companies like ${company.name}` });
  const { page } = opened;
  await page.getByText(`Results similar to “${company.name}”`).waitFor();
  expect(await page.getByText(/similar spelling/i).count()).toBe(0);
  expect(await page.getByRole('heading', { level: 3, name: company.name, exact: true }).count()).toBe(0);
});

browserTest('editions of an event are one result that lists the other editions', async () => {
  const { rows } = await stage.pool.query<{ name: string; href: string; start: string }>(
    `select name, '/events/' || slug as href, start_date::text as start
     from events where start_date is not null and name ~ ' #?[0-9]+$'`,
  );
  const series = Object.values(Object.groupBy(rows, ({ name }) => seriesOf(name)));
  const editions = series.find((each = []) => each.length === 3) ?? [];
  const query = editions[0]?.name.replace(/ #?\d+$/, '') ?? '';
  await using opened = await openSearch({ query });
  const { page } = opened;
  const summary = page.getByText(/^2 more editions/);
  await summary.waitFor();
  const result = page.getByRole('listitem').filter({ has: summary });
  const shown = await result.getByRole('heading').getByRole('link').getAttribute('href');
  const others = editions.filter(({ href }) => href !== shown);
  expect(others).toHaveLength(2);
  const shownAll = await results(page)
    .getByRole('link')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  for (const { href } of others) expect(shownAll).not.toContain(href);
  const behind = result.getByRole('group').getByRole('listitem');
  expect(await behind.count()).toBe(0);
  await summary.focus();
  await page.keyboard.press('Enter');
  await behind.first().waitFor();
  expect(await axeViolations(page)).toEqual([]);
  const told = await behind.allTextContents();
  expect(told.toSorted()).toEqual(others.map(({ name, start }) => `${daysText(start, null)}${name}`).toSorted());
  const code = await apiRequest(page);
  expect(code).toContain('collapse=series');
  await behind.getByRole('link').first().click();
  await page.waitForURL((url) => others.some(({ href }) => href === url.pathname));
});

browserTest('a question shows its removable parts, and can be searched literally', async () => {
  const city = await readValue<string>(
    stage.pool,
    `select city from companies where city ~ '^[A-Z][a-z]+$' group by city order by count(*) desc, city limit 1`,
  );
  await using opened = await openSearch({ query: `startups in ${city} after 2015` });
  const { page } = opened;
  const understood = page.getByRole('region', { name: 'Interpretation' });
  const chips = understood.getByRole('listitem');
  const texts = async (): Promise<readonly string[]> =>
    (await chips.getByRole('link').allTextContents()).map((text) => text.replace(/^Remove /, ''));
  await understood.waitFor();
  expect(await texts()).toEqual(['companies', `in ${city}`, 'after 2015']);
  await understood.getByRole('link', { name: 'Remove after 2015' }).click();
  await page.waitForURL((url) => url.searchParams.get('query') === `startups in ${city}`);
  await chips.nth(2).waitFor({ state: 'detached' });
  expect(await texts()).toEqual(['companies', `in ${city}`]);
  expect(await search(page).inputValue()).toBe(`startups in ${city}`);
  await understood.getByRole('link', { name: 'Search exact words' }).click();
  await page.waitForURL(/literal=true/);
  await page.getByText('Searching for the exact words.').waitFor();
  expect(await chips.count()).toBe(0);
  const code = await apiRequest(page);
  expect(code).toContain('literal=true');
  await understood.getByRole('link', { name: 'Interpret as a question' }).click();
  await page.waitForURL((url) => !url.searchParams.has('literal'));
  await chips.first().waitFor();
  await page.goto(`${stage.origin}/search?${new URLSearchParams({ query: company.name })}`);
  await count(page).waitFor();
  expect(await understood.count()).toBe(0);
});
