// The order of test files. Those that keep processors busy come first, next to each other and to one that
// mostly waits; then long ones. Within each group the longest come first, as in Jest; without known times, it takes
// large files for long ones.

const { relative } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');
const { isLong } = require('./long-files.cjs');

const busy = /[\\/](payments-ledger-model|unread|explore-index(-mutants)?)\.test\.ts$/;

function rank({ path, context }) {
  if (context.config.displayName?.name === 'pure') return 0;
  if (busy.test(path)) return 1;
  return isLong(relative(context.config.rootDir, path)) ? 2 : 3;
}

module.exports = class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return sorted
      .map((test) => [rank(test), test])
      .sort(([a], [b]) => a - b)
      .map(([, test]) => test);
  }
};
