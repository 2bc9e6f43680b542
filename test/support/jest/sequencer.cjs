// The order of test files. Those that keep processors busy by themselves come first, beside each other and beside one that
// mostly waits: after them come those that look at the clock while engines fail. Within each part the longest come first,
// as Jest has it.

const { default: Sequencer } = require('@jest/test-sequencer');

const busy = /[\\/](payments-ledger-model|unread|explore-index(-mutants)?|load-parts)\.test\.ts$/;

function rank({ path, context }) {
  if (context.config.displayName?.name === 'pure') return 0;
  return busy.test(path) ? 1 : 2;
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
