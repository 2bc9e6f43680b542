'use strict';
const { registerHooks } = require('node:module');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { default: Runtime } = require('jest-runtime');

// Node loads the tests instead of Jest, so a worker reads, strips and optimizes each source once and not for every test
// file: a third of the CPU time of test/pure and test/http. Modules of `test` are loaded for each test file, because
// what they keep belongs to one file.

const tests = pathToFileURL(join(__dirname, '../..')).href;
const globals = pathToFileURL(join(__dirname, 'globals.mjs')).href;
const fileNumber = /\?file=\d+$/;
const environment = { ...process.env };
let files = 0;

registerHooks({
  resolve(specifier, context, next) {
    const number = fileNumber.exec(context.parentURL ?? '')?.[0] ?? '';
    if (specifier === '@jest/globals') return { url: `${globals}${number}`, format: 'module', shortCircuit: true };
    const resolved = next(specifier, context);
    const perFile = resolved.url.startsWith(tests) && /\.[cm]?[jt]s$/.test(resolved.url);
    return perFile ? { ...resolved, url: `${resolved.url}${number}` } : resolved;
  },
});

/** Jest's runtime, which loads a test file and all that it imports with Node. */
module.exports = class NativeRuntime extends Runtime {
  unstable_shouldLoadAsEsm(path) {
    return path.endsWith('.ts');
  }

  unstable_importModule(path) {
    for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
    Object.assign(process.env, environment);
    Object.assign(globalThis, this.requireModuleOrMock(path, '@jest/globals'));
    files += 1;
    return import(`${pathToFileURL(path).href}?file=${files}`);
  }
};
