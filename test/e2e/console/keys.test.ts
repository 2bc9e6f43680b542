import { setTimeout as delay } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import { browserTest, hasFocus } from '../../support/browser/browser.ts';
import { forFile } from '../../support/for-file.ts';
import { printMs } from '../../support/print-ms.ts';
import { setConsoleStage } from '../../support/stages/console.ts';
import { until } from '../../support/until.ts';

const stage = await forFile(setConsoleStage());

const shownKey = (page: Page) => page.getByText(/^es_(live|test)_[\w-]+$/).first();

async function statusWith(key: string): Promise<number> {
  const response = await fetch(`${stage.origin}/api/v1/search?type=companies&query=exchange`, {
    headers: { authorization: `Bearer ${key}` },
  });
  await response.arrayBuffer();
  return response.status;
}

/** Repeats a request until the key is refused. Returns the milliseconds that it took. */
async function refusedAfterMs(key: string): Promise<number> {
  const startMs = performance.now();
  while ((await statusWith(key)) !== 401) {
    if (performance.now() - startMs > 10_000) break;
    await delay(100);
  }
  return performance.now() - startMs;
}

/** The form of the first key is on the page; later ones open in a dialog. */
async function keyForm(page: Page): Promise<Locator> {
  const first = page.getByRole('region', { name: 'Create your first key' });
  const button = page.getByRole('button', { name: 'Create key' });
  await button.first().waitFor();
  if (await first.isVisible()) return first;
  await button.first().click();
  return page.getByRole('dialog', { name: 'Create key' });
}

async function createKey(page: Page, name: string): Promise<string> {
  const form = await keyForm(page);
  await form.getByLabel('Name').fill(name);
  await form.getByRole('button', { name: 'Create key' }).click();
  const key = await shownKey(page).textContent();
  if (key === null) throw new Error('No key is shown.');
  // The form of the first key stays until the list has been reloaded.
  await page.getByRole('row').filter({ hasText: name }).first().waitFor();
  return key;
}

const rowOf = (page: Page, name: string, state: string) =>
  page.getByRole('row').filter({ hasText: name }).filter({ hasText: state });

browserTest('a new key is shown once, copied, used and counted', async () => {
  await using opened = await stage.openSignedIn('/account/keys');
  const { page } = opened;
  const key = await createKey(page, 'nightly import');
  await page.getByRole('button', { name: 'Copy key' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);
  expect(await statusWith(key)).toBe(200);
  expect(await statusWith(key)).toBe(200);
  await page.reload();
  await rowOf(page, 'nightly import', 'Active').waitFor();
  expect(await page.content()).not.toContain(key);
  await page.getByRole('button', { name: 'Rename nightly import' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('weekly import');
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await rowOf(page, 'weekly import', 'Active').waitFor();
  expect(await statusWith(key)).toBe(200);

  await page.getByRole('link', { name: 'Usage' }).click();
  await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
  const table = page.getByRole('table', { name: 'Calls by endpoint' });
  // Counts are written a second after the call.
  const row = table.getByRole('row').filter({ hasText: /search.*3/i });
  await until(async () => {
    await page.getByRole('button', { name: 'Refresh' }).click();
    return row.isVisible();
  }, 'the counts of the calls');
});

browserTest('a key that is revoked or rotated without overlap is refused within five seconds', async () => {
  await using opened = await stage.openSignedIn('/account/keys');
  const { page } = opened;
  const rotated = await createKey(page, 'rotated');
  const revoked = await createKey(page, 'leaked');
  expect([await statusWith(rotated), await statusWith(revoked)]).toEqual([200, 200]);
  await page.getByRole('button', { name: 'Done' }).click();
  const dialog = page.getByRole('dialog');

  await page.getByRole('button', { name: 'Rotate rotated' }).click();
  await dialog.getByLabel('Old key expires').selectOption('0');
  await dialog.getByRole('button', { name: 'Rotate', exact: true }).click();
  await page.getByText(/^The old key .* has stopped working/).waitFor();
  const refusals = [refusedAfterMs(rotated)];
  const successor = (await shownKey(page).textContent()) ?? '';

  await page.getByRole('button', { name: 'Revoke leaked' }).click();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await rowOf(page, 'leaked', 'Revoked').waitFor();
  refusals.push(refusedAfterMs(revoked));
  for (const ms of await Promise.all(refusals)) printMs('until a key is refused', ms);
  expect(await statusWith(successor)).toBe(200);
  await rowOf(page, 'rotated', 'Expired').waitFor();

  await page.getByRole('button', { name: 'Rotate rotated' }).click();
  await dialog.getByRole('button', { name: 'Rotate', exact: true }).click();
  await rowOf(page, 'rotated', 'Expires soon').waitFor();
  await page.getByRole('button', { name: 'Revoke rotated' }).first().click();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await rowOf(page, 'rotated', 'Revoked').waitFor();
  expect(await shownKey(page).count()).toBe(0);
});

browserTest('a key without a name is not created, and the field explains why', async () => {
  await using opened = await stage.openSignedIn('/account/keys');
  const { page } = opened;
  for (const place of ['page', 'dialog']) {
    const form = await keyForm(page);
    const name = form.getByLabel('Name');
    await name.fill(' ');
    await form.getByRole('button', { name: 'Create key' }).click();
    expect([place, await name.getAttribute('aria-invalid')]).toEqual([place, 'true']);
    expect(await hasFocus(name)).toBe(true);
    if (place === 'page') {
      await createKey(page, 'with a name');
      await page.reload();
    }
  }
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
});
