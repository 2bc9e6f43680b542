import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Operations of the API reference are alike, and checking them all takes seconds. */
const checked = { exclude: ['article ~ article ~ article'] };

const resultTypes = ['violations'];

/** All rules, or those that depend on colours. */
const rules = {
  all: { type: 'tag', values: tags },
  colours: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
};

/**
 * Returns the current problems of the page, one line each. The debugger evaluates the check, because the content
 * security policy would block a script element.
 */
export async function axeViolations(page: Page, by: keyof typeof rules = 'all'): Promise<readonly string[]> {
  const debuggerSession = await page.context().newCDPSession(page);
  try {
    const loaded = await debuggerSession.send('Runtime.evaluate', { expression: 'typeof axe' });
    if (loaded.result.value === 'undefined')
      await debuggerSession.send('Runtime.evaluate', { expression: `${axe.source};undefined` });
    const { result, exceptionDetails } = await debuggerSession.send('Runtime.evaluate', {
      expression: `axe.run(${JSON.stringify(checked)}, ${JSON.stringify({ runOnly: rules[by], resultTypes })})`,
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
