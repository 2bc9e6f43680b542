import type { Locator, Page, Request } from 'playwright-core';
import { findChromium, launchChromium } from '../../../dev/browser/chromium.ts';
import { patienceMs, until } from '../until.ts';
import { reportViolations, sumLayoutShifts } from './in-page.ts';
import { installWallets, type TestWallet } from './wallet.ts';

const installed = await findChromium();
if (installed === null) {
  process.stderr.write('SKIPPED: tests in a browser. Install Chrome or Chromium, or name one with CHROME_PATH.\n');
}

/** Jest's `test` if there is a browser; otherwise `test.skip` and a message. */
export const browserTest: typeof test | typeof test.skip = installed === null ? test.skip : test;

export const phone = { width: 390, height: 844 };
export const desktop = { width: 1280, height: 800 };

export interface PageOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly reducedMotion?: 'reduce' | 'no-preference';
  readonly javaScriptEnabled?: boolean;
  readonly wallets?: readonly TestWallet[];
}

/** A page in a new browser profile. The test fails if the page had a problem. */
export interface OpenedPage extends AsyncDisposable {
  readonly page: Page;
  /** Errors and warnings on the console, uncaught exceptions and violations of the content security policy. */
  readonly complaints: string[];
  /** Resolves when no request is pending and the page shows no loading state. */
  settled(): Promise<void>;
}

export interface TestBrowser extends AsyncDisposable {
  open(options?: PageOptions): Promise<OpenedPage>;
}

/** Errors of closed pages. Not thrown at closing, because that would hide the failure of the test itself. */
const leftComplaints: string[] = [];
afterEach(() => {
  expect(leftComplaints.splice(0)).toEqual([]);
});

/** A browser that starts when a `browserTest` opens the first page. */
export function openBrowser(): TestBrowser {
  let launched: ReturnType<typeof launchChromium> | undefined;
  return {
    async open({ wallets = [], ...options } = {}) {
      if (installed === null) throw new Error('There is no browser: open pages in a browserTest only.');
      launched ??= launchChromium(installed);
      const context = await (await launched).newContext({
        viewport: desktop,
        locale: 'en-US',
        timezoneId: 'UTC',
        ...options,
      });
      context.setDefaultTimeout(patienceMs);
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      const page = await context.newPage();
      const complaints: string[] = [];
      await collectComplaints(page, complaints);
      if (wallets.length > 0) await installWallets(page, wallets);
      return {
        page,
        complaints,
        settled: settledOf(page),
        [Symbol.asyncDispose]: async () => {
          await context.close();
          leftComplaints.push(...complaints);
        },
      };
    },
    [Symbol.asyncDispose]: async () => (await launched)?.close(),
  };
}

async function collectComplaints(page: Page, complaints: string[]): Promise<void> {
  page.on('pageerror', (error) => void complaints.push(`exception: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    const type = message.type();
    if (type === 'error' || type === 'warning')
      complaints.push(`${type}: ${message.text()} (${message.location().url})`);
  });
  await page.exposeFunction('reportViolation', (text: string) => void complaints.push(`policy: ${text}`));
  await page.addInitScript(reportViolations);
  await page.addInitScript(sumLayoutShifts);
}

/** Time without requests after which no further request follows the last answer. */
const quietMs = 80;

function settledOf(page: Page): () => Promise<void> {
  const pending = new Set<Request>();
  let quietSinceMs = performance.now();
  const ended = (request: Request): void => {
    pending.delete(request);
    quietSinceMs = performance.now();
  };
  page.on('request', (request) => void pending.add(request));
  page.on('requestfinished', ended);
  page.on('requestfailed', ended);
  const isQuiet = () => pending.size === 0 && performance.now() - quietSinceMs >= quietMs;
  const waiting = page.locator('[aria-busy=true], .skeleton, .spinner');
  return () => until(async () => isQuiet() && (await waiting.count()) === 0, `the rest of ${page.url()}`);
}

/** Returns true if typed text goes into the element. */
export function hasFocus(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => element.ownerDocument.activeElement === element);
}
