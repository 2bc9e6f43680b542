export default {
  rootDir: '.',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/support/strip-types.cjs' },
  setupFiles: ['<rootDir>/test/support/error-realm.cjs'],
  testEnvironment: 'node',
  testTimeout: 60_000,
  maxWorkers: 2,
};
