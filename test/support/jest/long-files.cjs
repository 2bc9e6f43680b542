'use strict';
// Files that may take longer than the budget, by the reason. The sequencer begins with them, so that none of them is
// left alone at the end of a run.

/** For a file on an idle machine with two cores. A run names the files above it. */
const budgetSeconds = 10;

const longFiles = {
  'starts engines of its own, or another version of them': [
    'test/matrix/elasticsearch-tls.test.ts',
    'test/matrix/elasticsearch-versions.test.ts',
    'test/matrix/engines.test.ts',
    'test/matrix/pgbouncer.test.ts',
    'test/matrix/postgres-versions.test.ts',
    'test/services/verify/verify-live.test.ts',
  ],
  'runs the tests of a client in its own language': [
    'test/e2e/agents-page.test.ts',
    'test/e2e/clients-typescript.test.ts',
    'test/matrix/clients-python.test.ts',
    'test/matrix/paid-python.test.ts',
  ],
  'explores schedules for a fixed time, or finds defects that are put back': [
    'test/pure/explore/explore-mutants.test.ts',
    'test/pure/explore/explore-payments.test.ts',
    'test/services/dev/explore-index-mutants.test.ts',
    'test/services/dev/explore-index.test.ts',
  ],
  'kills or suspends processes and engines, and waits until everything has recovered': [
    'test/e2e/embeddings.test.ts',
    'test/e2e/paid-agent.test.ts',
    'test/e2e/paid-crashes.test.ts',
    'test/e2e/paid-crowd.test.ts',
    'test/services/access/limits-faults.test.ts',
    'test/services/payments/purchase/paid-unknown.test.ts',
    'test/services/postgres/database-faults.test.ts',
    'test/services/reindex/index-states.test.ts',
    'test/services/reindex/reindex-faults.test.ts',
    'test/services/write/dead-letters.test.ts',
    'test/services/write/write-path.test.ts',
  ],
  'spoils one thing after another in a whole installation': [
    'test/services/cli/doctor-spoiled.test.ts',
    'test/services/elasticsearch/least-rights.test.ts',
    'test/services/postgres/migrate-locks.test.ts',
    'test/services/reindex/reindex-swap.test.ts',
  ],
  'floods a process, or keeps many connections unread': [
    'test/e2e/unread.test.ts',
    'test/services/payments/purchase/paid-flood.test.ts',
  ],
  'waits until Postgres ends the session of a stopped process, or counts as unreachable': [
    'test/services/change-log/index-lag.test.ts',
    'test/services/metrics/metrics.test.ts',
    'test/services/sync/lease.test.ts',
  ],
  'reads more pages than Elasticsearch counts': ['test/services/search/cursor.test.ts'],
  'fetches and loads a local model': ['test/http/embeddings/local-provider.test.ts'],
  'visits every page in a browser': ['test/e2e/console/pages.test.ts'],
};

const paths = new Set(Object.values(longFiles).flat());

module.exports = { budgetSeconds, longFiles, isLong: (path) => paths.has(path) };
