'use strict';
const { writeSync } = require('node:fs');
const { relative } = require('node:path');
const { budgetSeconds, isLong } = require('./long-files.cjs');

const slowestShown = 10;

/**
 * Ends a run with its slowest files and, last, one plain line that programs can read: "N passed, N failed", and what
 * was skipped. A file above the budget is named, but fails nothing: the machine may be busy.
 */
module.exports = class ClosingLine {
  onRunComplete(_contexts, results) {
    // A file that fails to load runs no test, yet it is a failure.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const tail = skipped > 0 ? `, ${skipped} skipped` : '';
    const line = `\n${results.numPassedTests} passed, ${failed} failed${tail}\n`;
    const slowest = results.testResults.length > slowestShown ? slowestOf(results.testResults) : '';
    // At the very end, after the summary that Jest's own reporter writes to the other stream.
    process.once('exit', () => writeSync(1, `${slowest}${line}`));
  }
};

function slowestOf(files) {
  const lines = [...files]
    .sort((one, other) => other.perfStats.runtime - one.perfStats.runtime)
    .slice(0, slowestShown)
    .map(({ testFilePath, perfStats }) => {
      const path = relative(process.cwd(), testFilePath);
      const seconds = perfStats.runtime / 1_000;
      const over = seconds > budgetSeconds && !isLong(path) ? `  above the budget of ${budgetSeconds} s` : '';
      return `${seconds.toFixed(1).padStart(6)} s  ${path}${over}`;
    });
  return `\nThe slowest files:\n${lines.join('\n')}\n`;
}
