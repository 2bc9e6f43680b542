'use strict';
// Jest runs tests in a realm of its own, where an error made by Node's core (fetch, sockets, pg) is not `instanceof
// Error`. The code under test may rely on it, so here it is checked by the kind of object instead.
const { types } = require('node:util');

const inherited = Function.prototype[Symbol.hasInstance];
Object.defineProperty(Error, Symbol.hasInstance, {
  value(candidate) {
    return inherited.call(this, candidate) || (this === Error && types.isNativeError(candidate));
  },
});
