import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** WCAG 2.2 AA, and what axe-core's makers hold to be good practice. */
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * What is wrong with the page as it is now, one line each. The check is evaluated by the debugger, which no content
 * security policy forbids; a script element would be stopped.
 */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  const debuggerSession = await page.context().newCDPSession(page);
  try {
    await debuggerSession.send('Runtime.evaluate', { expression: `${axe.source};undefined` });
    const { result, exceptionDetails } = await debuggerSession.send('Runtime.evaluate', {
      expression: `axe.run(document, ${JSON.stringify({ runOnly: tags, resultTypes: ['violations'] })})`,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    // What axe.run resolves to, as the debugger copied it.
    const { violations } = result.value as AxeResults;
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 200)}: ${failureSummary}`),
    );
  } finally {
    await debuggerSession.detach();
  }
}
