'use strict';
// Jest runs tests in a realm of its own, where an error made by Node's core (fetch, sockets, pg) is no
// `instanceof Error`. The code under test may rely on it, so here the test is made by nature, not by realm.
const { types } = require('node:util');

const inherited = Function.prototype[Symbol.hasInstance];
Object.defineProperty(Error, Symbol.hasInstance, {
  value(candidate) {
    return inherited.call(this, candidate) || (this === Error && types.isNativeError(candidate));
  },
});
