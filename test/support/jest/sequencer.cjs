// The order of test files. Those that keep processors busy by themselves come first, beside each other and beside one that
// mostly waits: after them come those that look at the clock while engines fail. Within each part the longest come first,
// as Jest has it; where it knows no times yet, it takes large files for long ones, so that small ones that are long are
// named here.

const { default: Sequencer } = require('@jest/test-sequencer');

const busy = /[\\/](payments-ledger-model|unread|explore-index(-mutants)?|load-parts)\.test\.ts$/;

const long =
  /[\\/](clients-python|doctor-spoiled|embeddings|engines|least-rights|local-provider|paid-crashes|relevance-data|standby|traces|upgrade|versions)\.test\.ts$/;

function rank({ path, context }) {
  if (context.config.displayName?.name === 'pure') return 0;
  if (busy.test(path)) return 1;
  return long.test(path) ? 2 : 3;
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
