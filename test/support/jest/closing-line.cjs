'use strict';
const { writeSync } = require('node:fs');

/** Ends a run with one plain line that programs can read: "N passed, N failed", and what was skipped. */
module.exports = class ClosingLine {
  onRunComplete(_contexts, results) {
    // A file that fails to load runs no test, yet it is a failure.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const tail = skipped > 0 ? `, ${skipped} skipped` : '';
    const line = `\n${results.numPassedTests} passed, ${failed} failed${tail}\n`;
    // At the very end, after the summary that Jest's own reporter writes to the other stream.
    process.once('exit', () => writeSync(1, line));
  }
};
