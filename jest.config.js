import { join } from 'node:path';

// Every program that a test starts would compile the same sources again: half of the time that a command takes.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '.local', 'compile-cache');

const common = {
  transform: {},
  runtime: '<rootDir>/test/support/jest/native-runtime.cjs',
  testEnvironment: '<rootDir>/test/support/jest/environment.cjs',
};

const withEngines = {
  ...common,
  globalSetup: '<rootDir>/test/support/jest/engines-up.ts',
  globalTeardown: '<rootDir>/test/support/jest/engines-down.ts',
};

export default {
  // Ends a test that hangs. It does not limit a slow machine: see `test/support/until.ts`.
  testTimeout: 360_000,
  // A worker waits for engines and processes most of the time, so two processors are busy with three.
  maxWorkers: 3,
  // A worker keeps the modules of every file that it has run: 3 GB of them cost a tenth of the time in garbage collection.
  workerIdleMemoryLimit: '1GB',
  testSequencer: '<rootDir>/test/support/jest/sequencer.cjs',
  reporters: ['default', '<rootDir>/test/support/jest/closing-line.cjs'],
  projects: [
    // No engine is started for these: they need none.
    {
      ...common,
      displayName: 'pure',
      testMatch: ['<rootDir>/test/pure/**/*.test.ts', '<rootDir>/test/http/**/*.test.ts'],
    },
    {
      ...withEngines,
      displayName: 'engines',
      testMatch: ['<rootDir>/test/services/**/*.test.ts', '<rootDir>/test/e2e/**/*.test.ts'],
    },
    // Not part of `npm test`: what only another version, another client or an engine's own start can break.
    {
      ...withEngines,
      displayName: 'matrix',
      testMatch: ['<rootDir>/test/matrix/**/*.test.ts'],
    },
  ],
};
