// The order of test files. Those that keep processors busy are spread evenly among those that mostly wait. Among either,
// the listed long ones come first, then the longest, as in Jest; without known times, it takes large files for long ones.

const { relative } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');
const { isLong } = require('./long-files.cjs');

const busy = /[\\/](payments-ledger-model|unread|explore-index(-mutants)?)\.test\.ts$/;
const isBusy = ({ path, context }) => context.config.displayName?.name === 'pure' || busy.test(path);
const isListed = ({ path, context }) => isLong(relative(context.config.rootDir, path));

module.exports = class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests).sort((one, other) => isListed(other) - isListed(one));
    return Object.values(Object.groupBy(sorted, isBusy))
      .flatMap((files) => files.map((file, at) => [at / files.length, file]))
      .sort(([one], [other]) => one - other)
      .map(([, file]) => file);
  }
};
