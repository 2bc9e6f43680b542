import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** In the dark, only colours differ. */
const rules = {
  light: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  dark: ['color-contrast', 'link-in-text-block'],
};
const resultTypes = ['violations'];
/** Operations of the API reference are alike, and checking them all takes seconds. */
const checked = { exclude: ['.docs-operation ~ .docs-operation ~ .docs-operation'] };

/**
 * Returns the current problems of the page, one line each. The debugger evaluates the check, because the content
 * security policy would block a script element.
 */
export async function axeViolations(page: Page, scheme: keyof typeof rules = 'light'): Promise<readonly string[]> {
  const debuggerSession = await page.context().newCDPSession(page);
  try {
    const loaded = await debuggerSession.send('Runtime.evaluate', { expression: 'typeof axe' });
    if (loaded.result.value === 'undefined')
      await debuggerSession.send('Runtime.evaluate', { expression: `${axe.source};undefined` });
    const { result, exceptionDetails } = await debuggerSession.send('Runtime.evaluate', {
      expression: `axe.run(${JSON.stringify(checked)}, ${JSON.stringify({ runOnly: rules[scheme], resultTypes })})`,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    // The debugger's copy of the result of axe.run.
    const { violations } = result.value as AxeResults;
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 200)}: ${failureSummary}`),
    );
  } finally {
    await debuggerSession.detach();
  }
}
