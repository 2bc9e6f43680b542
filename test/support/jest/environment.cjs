'use strict';
const { ModernFakeTimers } = require('@jest/fake-timers');
const { TestEnvironment } = require('jest-environment-node');

/** Names of the classes that every realm has. */
const classes = Object.getOwnPropertyNames(globalThis).filter(
  (name) => /^[A-Z]/.test(name) && typeof globalThis[name] === 'function',
);

/**
 * The realm of Jest's own code, such as `expect`. Tests run in the realm of Node, so this one gets its classes, by which
 * `expect` recognizes values, and replaces its timers.
 */
module.exports = class Environment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    for (const name of classes) this.global[name] = globalThis[name];
    this.fakeTimersModern = new ModernFakeTimers({ config: config.projectConfig, global: globalThis });
  }
};
