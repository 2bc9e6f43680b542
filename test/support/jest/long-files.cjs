'use strict';
// Files that may take longer than the budget, by the reason. The sequencer begins with them, so that none of them is
// left alone at the end of a run.

/** For a file in a run by three workers on two cores. A run names the files above it. */
const budgetSeconds = 10;

const longFiles = {
  'starts engines of its own, or another version of them': [
    'test/matrix/elasticsearch-tls.test.ts',
    'test/matrix/elasticsearch-versions.test.ts',
    'test/matrix/engines.test.ts',
    'test/matrix/pgbouncer.test.ts',
    'test/matrix/postgres-versions.test.ts',
    'test/services/postgres/managed.test.ts',
    'test/services/verify/verify-live.test.ts',
  ],
  'runs the tests of a client in its own language': [
    'test/e2e/agents-page.test.ts',
    'test/matrix/clients-python.test.ts',
    'test/matrix/paid-python.test.ts',
  ],
  'explores schedules, or finds defects that are put back': [
    'test/pure/explore/explore-mutants.test.ts',
    'test/pure/explore/explore-payments.test.ts',
    'test/services/account/interleavings.test.ts',
    'test/services/dev/explore-index-mutants.test.ts',
    'test/services/dev/explore-index.test.ts',
  ],
  'kills, suspends or starves processes and engines, and waits until everything has recovered': [
    'test/e2e/embeddings.test.ts',
    'test/e2e/paid-agent.test.ts',
    'test/e2e/paid-crashes.test.ts',
    'test/e2e/paid-crowd.test.ts',
    'test/services/access/key-partition.test.ts',
    'test/services/access/limits-faults.test.ts',
    'test/services/cli/doctor.test.ts',
    'test/services/embeddings/background.test.ts',
    'test/services/http/bulk.test.ts',
    'test/services/metrics/metrics.test.ts',
    'test/services/payments/purchase/paid-unknown.test.ts',
    'test/services/postgres/database-faults.test.ts',
    'test/services/reindex/index-states.test.ts',
    'test/services/reindex/reindex-command.test.ts',
    'test/services/reindex/reindex-faults.test.ts',
    'test/services/search/search-faults.test.ts',
    'test/services/sync/halts-marker.test.ts',
    'test/services/sync/halts.test.ts',
    'test/services/sync/recovery.test.ts',
    'test/services/sync/sync.test.ts',
    'test/services/write/write-path.test.ts',
  ],
  'spoils one thing after another in a whole installation': [
    'test/services/cli/doctor-spoiled.test.ts',
    'test/services/elasticsearch/least-rights.test.ts',
    'test/services/reindex/reindex-swap.test.ts',
    'test/services/reindex/reindex.test.ts',
    'test/services/verify/verify.test.ts',
    'test/services/write/poison-rows.test.ts',
  ],
  'floods a process, or keeps many connections unread': [
    'test/e2e/unread.test.ts',
    'test/services/payments/purchase/paid-flood.test.ts',
  ],
  'waits until Postgres ends the session of a stopped process': ['test/services/sync/lease.test.ts'],
  'follows tens of thousands of changes, or of entries': [
    'test/services/change-log/change-log-bounds.test.ts',
    'test/services/change-log/change-log.test.ts',
    'test/services/change-log/log-partitions.test.ts',
  ],
  'writes to a database of another program, in many shapes, and runs every command on it': [
    'test/services/sources/derived-ways.test.ts',
    'test/services/sources/existing-database.test.ts',
    'test/services/sources/shown-tables.test.ts',
    'test/services/sources/team-writes.test.ts',
    'test/services/sources/unreadable-rows.test.ts',
  ],
  'sends hundreds of requests, or indexes thousands of entities': [
    'test/http/server/hostile-requests.test.ts',
    'test/services/http/hostile.test.ts',
    'test/services/mcp/mcp.test.ts',
    'test/services/search/cursor.test.ts',
    'test/services/search/filters-and-sorts.test.ts',
    'test/services/search/relevance-data.test.ts',
    'test/services/search/relevance-sample.test.ts',
  ],
  'loads a local model': ['test/http/embeddings/local-provider.test.ts', 'test/matrix/local-embeddings.test.ts'],
  'visits pages in a browser': [
    'test/e2e/console/pages.test.ts',
    'test/e2e/console/search.test.ts',
    'test/e2e/console/security.test.ts',
  ],
};

const paths = new Set(Object.values(longFiles).flat());

module.exports = { budgetSeconds, longFiles, isLong: (path) => paths.has(path) };
