// The order of test files. Those that keep processors busy come first, next to each other and to one that
// mostly waits; then those that watch the clock while engines fail. Within each group the longest come first,
// as in Jest; without known times, it takes large files for long ones, so that long ones that are small are
// named here.

const { default: Sequencer } = require('@jest/test-sequencer');

const busy = /[\\/](payments-ledger-model|unread|explore-index(-mutants)?)\.test\.ts$/;

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
