import { startApi } from '../../support/api/in-process.ts';
import { browserTest, openBrowser } from '../../support/browser/browser.ts';

browserTest(
  'the page of documentation tries requests where it came from, whatever address the document names',
  async () => {
    await using api = await startApi({ env: { PUBLIC_URL: 'https://api.example.com' } });
    await using browser = await openBrowser();
    await using opened = await browser.open();
    const { page } = opened;
    await page.goto(`${api.url}/docs`);
    const health = page.locator('#operations-Health-health');
    await health.getByRole('button', { name: '/api/health' }).first().click();
    await health.getByRole('button', { name: 'Execute' }).click();
    const asked = health.locator('.request-url');
    await asked.waitFor();
    expect(await asked.textContent()).toContain(`${api.url}/api/health`);
    await health.getByText('"operational"').first().waitFor();
    expect(await page.getByText('https://api.example.com').count()).toBe(0);
  },
);
