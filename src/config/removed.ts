import type { Environment } from './settings.ts';

const constant = 'it is fixed now';

/**
 * Settings that were removed in 0.2, and what is used now. Whoever still sets one is told so instead of being ignored;
 * to be emptied in the release after.
 */
export const removedSettings: Readonly<Record<string, string>> = {
  ANSWER_TIMEOUT_MS: `${constant}: an answer must be read within 2 minutes`,
  BAD_KEYS_HELD: `${constant}: 200 refusals are delayed at the same time`,
  BAD_KEY_DELAY_MS: `${constant}: refusals beyond BAD_KEYS_PER_MINUTE are delayed by 1 s`,
  BODY_MAX_BYTES: `${constant}: a body may have 256 KiB`,
  CURSOR_KEEP_ALIVE_MS: `${constant}: a cursor lasts 5 minutes between two pages`,
  DATABASE_CONNECT_TIMEOUT: `${constant}: commands wait 10 s for a connection`,
  DOCTOR_TIMEOUT: `${constant}: each check has 10 s`,
  ELASTICSEARCH_MAX_CONNECTIONS: 'there are as many connections as SEARCHES_MAX allows searches; set that instead',
  GENERATION_ABANDONED_AFTER: `${constant}: an index that nobody goes on building is removed after 24 hours`,
  HEADERS_TIMEOUT_MS: `${constant}: headers must arrive within 10 s`,
  HEALTH_DETAILED_TIMEOUT_MS: `${constant}: a smoke query has 8 s`,
  HEALTH_HOLD_MS: `${constant}: a report is cached for 1 s`,
  HEALTH_QUICK_TIMEOUT_MS: `${constant}: the check of Postgres has 1.8 s`,
  IMPORT_BAD_LINES_SHOWN: `${constant}: 50 bad lines are reported one by one, the rest is counted`,
  IMPORT_BATCH_BYTES: `${constant}: a batch has 8 MiB at most`,
  IMPORT_BATCH_ROWS: `${constant}: a batch has 4,000 lines at most`,
  IMPORT_MAX_LINE_BYTES: `${constant}: a line may have 1 MiB`,
  INDEX_LAG_EVERY_MS: `${constant}: index lag is read every 2 s`,
  INDEX_LAG_TIMEOUT_MS: `${constant}: reading index lag may take 1 s`,
  KEY_CACHE_MS: `${constant}: keys are cached for 4.5 s, so that a revocation takes effect within 5 s`,
  KEY_CACHE_SIZE: `${constant}: 10,000 keys are cached`,
  KEY_LOOKUP_TIMEOUT_MS: `${constant}: looking a key up may take 2 s`,
  KEY_USED_EVERY_MS: `${constant}: last_used_at is exact to a minute`,
  LIMITS_FLUSH_MS: `${constant}: counts are written every second`,
  LIMITS_TIMEOUT_MS: `${constant}: counting a call may take 1 s`,
  POSTGRES_ACCESS_POOL_SIZE: 'every pool has POSTGRES_POOL_SIZE connections; set that instead',
  POSTGRES_CONNECT_TIMEOUT_MS: `${constant}: a connection may take 2 s`,
  POSTGRES_IDLE_TIMEOUT_MS: `${constant}: an unused connection is closed after 1 minute`,
  POSTGRES_STATEMENT_TIMEOUT_MS: `${constant}: a statement may take 5 s`,
  REINDEX_BATCH_BYTES: `${constant}: a bulk request has 1 MiB`,
  REINDEX_BYTES_IN_FLIGHT: 'memory follows from REINDEX_REQUESTS, with 1.5 MiB each; set that instead',
  REINDEX_DEAD_LETTERS_AT_MOST: 'use entity-search reindex --allow-dead-letters NUMBER',
  REINDEX_DEAD_LETTERS_IN_A_ROW: 'use entity-search reindex --allow-dead-letters NUMBER',
  REINDEX_DEAD_LETTERS_SHARE: 'use entity-search reindex --allow-dead-letters NUMBER',
  REINDEX_GIVE_UP_AFTER: `${constant}: a batch is tried again for 2 minutes; entity-search reindex --resume goes on`,
  REINDEX_KINDS_AT_ONCE: `${constant}: 2 kinds are built at the same time; name one kind for one`,
  REINDEX_REQUEST_TIMEOUT: `${constant}: a request may take 1 minute`,
  REQUEST_TIMEOUT_MS: `${constant}: a request must arrive within 30 s`,
  SEARCH_RESPONSE_MAX_BYTES: `${constant}: an answer of Elasticsearch may have 32 MiB`,
  SYNC_BATCH_BYTES: `${constant}: a bulk request has 1 MiB`,
  SYNC_BYTES_IN_FLIGHT: 'memory follows from SYNC_REQUESTS, with 4 MiB each; set that instead',
  SYNC_CHUNK_ENTRIES: `${constant}: 5,000 entries are applied in one step`,
  SYNC_DEAD_LETTERS_AT_MOST: `${constant}: sync pauses for an index after 1,000 rejected documents`,
  SYNC_DEAD_LETTERS_IN_A_ROW: `${constant}: sync pauses for an index after 50 rejected documents in a row`,
  SYNC_DEAD_LETTERS_SHARE: `${constant}: sync pauses for an index when more than half of 100 documents are rejected`,
  SYNC_KEEP: `${constant}: applied entries are kept for 15 minutes`,
  SYNC_PRUNE_EVERY: `${constant}: older entries are removed every minute`,
  SYNC_REPAIR_RATE: `${constant}: sync repairs 1,000 documents a second; entity-search repair has no limit`,
  SYNC_REQUEST_TIMEOUT: `${constant}: a request may take 30 s`,
  SYNC_ROUND_PAUSE: `${constant}: rounds begin at least 100 ms apart`,
  VERIFY_SUSPECTS_AT_MOST: `${constant}: a comparison stops after 100,000 differences`,
  VERIFY_WAIT: `${constant}: sync counts as not running when it stands still for 15 s`,
  VERIFY_WINDOWS_AT_ONCE: `${constant}: 2 steps of a comparison run at the same time`,
  VERIFY_WINDOW_ROWS: `${constant}: a comparison reads 5,000 rows in one step`,
  WAITING_MAX: `${constant}: 512 requests wait for a place`,
  WAITING_STALL_MS: `${constant}: when no place is freed for 250 ms, whoever waits is refused`,
  WAITING_TIMEOUT_MS: `${constant}: a request waits 2 s for a place`,
  X402_AUDIT_MS: `${constant}: ledger and chain are compared every 10 minutes`,
  X402_FOLLOW_TIMEOUT_MS: `${constant}: a repeated payment waits 20 s for the first`,
  X402_LEASE_MS: `${constant}: the payment of a vanished process is taken over after 10 s`,
  X402_OBSERVE_MS: `${constant}: open payments are looked at every 15 s`,
  X402_PAYER_MAX: `${constant}: a payer may have 8 payments in progress`,
  X402_RECONCILE_TIMEOUT_MS: `${constant}: reconciling a payment may take 5 s`,
  X402_REPLAY_MS: `${constant}: a delivered answer can be had again for 15 minutes`,
  X402_RPC_TIMEOUT_MS: `${constant}: a request to the chain's node may take 2 s`,
  X402_SETTLE_TIMEOUT_MS: `${constant}: a settlement may take 30 s`,
  X402_VERIFY_TIMEOUT_MS: `${constant}: a verification may take 5 s`,
};

/** A sentence for each removed setting that the environment still has. */
export function removedProblems(env: Environment): readonly string[] {
  return Object.entries(removedSettings).flatMap(([name, now]) =>
    (env[name] ?? '') === '' ? [] : [`${name}: was removed in 0.2: ${now}; unset it`],
  );
}
