import type pg from 'pg';
import { balanceOf, chainClient } from '../../../dev/chain/chain.ts';
import { localAsset, localNetwork } from '../../../dev/chain/network.ts';
import { entitySearch } from '../../../dev/lib/command-line.ts';
import { type Changes, limitedConfig, withApiLimits } from '../../../dev/lib/limits.ts';
import { type FaultProxy, startFaultProxy } from '../../../dev/torture/fault-proxy.ts';
import type { Config } from '../../../src/config/api.ts';
import { readVocabulary } from '../../../src/config/vocabulary.ts';
import { connectPaid, type PaymentService } from '../../../src/connect-payments.ts';
import { createElasticsearchClient } from '../../../src/elasticsearch/client.ts';
import { createSearchPort } from '../../../src/elasticsearch/search-port.ts';
import type { PaidSearchDeps } from '../../../src/http/endpoints/paid-search.ts';
import { createLimiters } from '../../../src/http/server/limiters.ts';
import { createLogger } from '../../../src/lib/log.ts';
import type { Deps } from '../../../src/ports.ts';
import { createPool } from '../../../src/postgres/pool.ts';
import { emptyKnowledge } from '../../../src/search/questions/knowledge.ts';
import { silentMeter } from '../api/in-process.ts';
import { patientLimits } from '../api/process.ts';
import { serveChecked } from '../api/serve.ts';
import { forFile } from '../for-file.ts';
import { expectRetry, getPaid, type PaidAnswer } from '../payments/paid-answer.ts';
import { type Payer, payTo, type SignedPayment } from '../payments/payers.ts';
import { type Behaviour, faults } from '../proxies/facilitator.ts';
import { patienceMs, until } from '../until.ts';
import { type Stage, setStage } from './api.ts';
import { type ChainStage, setChainStage } from './chain.ts';

/** For a settlement that lands late, until which the API watches the chain. */
export const patient = { paid: { limits: { reconcileMs: patienceMs } } } as const;

/** For a facilitator that hangs. */
export const hasty = {
  verify: { paid: { facilitator: { verifyTimeoutMs: 300 } } },
  settle: { paid: { facilitator: { settleTimeoutMs: 300 } } },
} as const;

export const hastyPostgres: Changes<Config> = { postgres: { connectTimeoutMs: 2_000, statementTimeoutMs: 2_000 } };

export interface LedgerRow {
  readonly id: number;
  readonly status: string;
  readonly nonce: string;
  readonly tx_hash: string | null;
  readonly delivered_at: Date | null;
  readonly lease_until: Date | null;
}

/** An API in this process, on its own port. */
export interface PaidApi extends AsyncDisposable {
  readonly url: string;
  readonly paid: PaymentService;
  readonly log: readonly Record<string, unknown>[];
  get(query: string, header?: string, options?: { readonly signal?: AbortSignal }): Promise<PaidAnswer>;
  searches(): number;
}

/** All systems of a paid request, real, each behind a proxy that can make it fail. */
export interface PaidStage extends AsyncDisposable {
  readonly chain: ChainStage;
  readonly stage: Stage;
  readonly rpc: FaultProxy;
  readonly postgres: FaultProxy;
  readonly elasticsearch: FaultProxy;
  readonly env: Readonly<Record<string, string>>;
  /** Moves the APIs' clock. */
  shiftMs: number;
  startApi(env?: Readonly<Record<string, string>>, limits?: Changes<Config>): Promise<PaidApi>;
  rows(payer: { readonly address: string }): Promise<readonly LedgerRow[]>;
  /** Returns the payer's rows once all are settled, by a request or by the observer. */
  paidRows(payer: { readonly address: string }): Promise<readonly LedgerRow[]>;
  /** Returns the payer's rows once no process works on them. */
  restingRows(payer: { readonly address: string }): Promise<readonly LedgerRow[]>;
  /** Ends the leases of the payer's rows, as if their time were over. */
  lapse(payer: { readonly address: string }): Promise<void>;
  /**
   * Returns the payer's rows once every delivery is recorded, which happens after the answer. Deliveries of rows that
   * the observer settled are never recorded: their authorization is public, so no later request proves to be the
   * payer's.
   */
  settledRows(payer: { readonly address: string }): Promise<readonly LedgerRow[]>;
  /** Returns the amount that the recipient has received. */
  received(): Promise<bigint>;
  /** Returns the amount that a payer has paid. */
  spent(payer: Payer): Promise<bigint>;
  /** Makes all blocks final, and expects that an audit finds this amount and no difference. */
  expectAudited(received: bigint): Promise<void>;
}

/**
 * Limits for healthy neighbours on a busy machine. An API whose neighbour fails to answer is started with a shorter one
 * of its own.
 */
const usualLimits: Changes<Config> = {
  ...patientLimits,
  paid: {
    facilitator: { verifyTimeoutMs: 60_000, settleTimeoutMs: 60_000 },
    chain: { timeoutMs: 60_000 },
    limits: { reconcileMs: 150, followMs: patienceMs, leaseMs: 30_000 },
    observer: { everyMs: 3_600_000 },
  },
};

/**
 * Creates a stage for all tests of a file, awaited at its top. After the last test it is closed, with every running
 * API.
 */
export function paidStage(): Promise<PaidStage> {
  return forFile(setPaidStage());
}

/**
 * @param given a chain that several stages share, and that its creator stops
 * @param setEntities creates the stage whose entities are sold
 */
export async function setPaidStage(given?: ChainStage, setEntities = () => setStage()): Promise<PaidStage> {
  await using resources = new AsyncDisposableStack();
  const [chain, stage] = await Promise.all([given ?? setChainStage(), setEntities()]);
  if (given === undefined) resources.use(chain);
  resources.use(stage);
  const rpc = resources.use(await startFaultProxy(chain.chain));
  const postgres = resources.use(await startFaultProxy(stage.databaseUrl));
  const elasticsearch = resources.use(await startFaultProxy(stage.elasticsearchUrl));
  const settings = {
    DATABASE_URL: postgres.url,
    ELASTICSEARCH_URL: elasticsearch.url,
    INDEX_PREFIX: stage.indexPrefix,
    X402_PAY_TO: payTo,
    X402_ASSET: localAsset.symbol,
    X402_RPC_URL: rpc.url,
    X402_FACILITATOR_URL: chain.facilitator.url,
    LOG_LEVEL: 'info',
  };
  const env = withApiLimits(settings, usualLimits);
  const owned = resources.move();
  const started: PaidStage = {
    chain,
    stage,
    rpc,
    postgres,
    elasticsearch,
    env,
    shiftMs: 0,
    startApi: async (more = {}, limits = {}) =>
      owned.use(await startPaidApi(limitedConfig(withApiLimits({ ...env, ...more }, limits)), started)),
    rows: ({ address }) => rowsOf(stage.pool, address),
    paidRows: ({ address }) => rowsWhen(stage.pool, address, ({ status }) => status === 'settled'),
    restingRows: ({ address }) => rowsWhen(stage.pool, address, isResting),
    lapse: async ({ address }) => {
      await stage.pool.query('update x402_payments set lease_until = now() where payer = $1', [address.toLowerCase()]);
    },
    settledRows: ({ address }) =>
      rowsWhen(stage.pool, address, (row) => isResting(row) && (row.status !== 'settled' || row.delivered_at !== null)),
    received: () => balanceOf(chain.chain, payTo),
    spent: async ({ account, funds }) => funds - (await balanceOf(chain.chain, account.address)),
    async expectAudited(received) {
      await chainClient(chain.chain).mine({ blocks: localNetwork.reorgBlocks + 1 });
      const { code, out } = await entitySearch(['payments', 'audit'], env);
      expect({ code, out: JSON.parse(out) }).toMatchObject({
        code: 0,
        out: { open_findings: 0, recipients: [{ state: 'done', received: String(received) }] },
      });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
  return started;
}

/** Sends a payment whose settlement has no known outcome. */
export async function leaveUnknown(
  stage: PaidStage,
  api: PaidApi,
  query: string,
  payment: SignedPayment,
  behaviour: Behaviour = faults.reset,
): Promise<SignedPayment> {
  stage.chain.facilitator.next('settle', behaviour);
  expectRetry(await api.get(query, payment.header), 503, 'settlement_unknown');
  return payment;
}

async function rowsOf(pool: pg.Pool, address: string): Promise<readonly LedgerRow[]> {
  const { rows } = await pool.query<LedgerRow>(
    `select id, status, nonce, tx_hash, delivered_at, lease_until from x402_payments
     where payer = $1 order by id`,
    [address.toLowerCase()],
  );
  return rows;
}

const isResting = (row: LedgerRow): boolean => row.lease_until === null || row.lease_until.getTime() <= Date.now();

/** Returns the rows once all meet the condition. */
async function rowsWhen(pool: pg.Pool, address: string, wanted: (row: LedgerRow) => boolean) {
  let rows: readonly LedgerRow[] = [];
  await until(async () => {
    rows = await rowsOf(pool, address);
    return rows.every(wanted);
  }, 'every row of the payer as expected');
  return rows;
}

async function startPaidApi(config: Config, stage: PaidStage): Promise<PaidApi> {
  if (config.paid === null) throw new Error('The paid search is on in these tests.');
  const lines: Record<string, unknown>[] = [];
  const log = createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) });
  const clock = { now: () => Date.now() + stage.shiftMs, elapsed: () => performance.now() };
  const elasticsearch = createElasticsearchClient(config.elasticsearch);
  const pool = createPool({ ...config.postgres, applicationName: 'entity-search payments' }, (error) =>
    log.warn({ err: error }, 'an idle connection broke'),
  );
  const paid = connectPaid(config.paid, pool, config.postgres, clock, log);
  const search = createSearchPort(elasticsearch);
  let searches = 0;
  const used: PaidSearchDeps & Pick<Deps, 'meter' | 'limiters' | 'pages'> = {
    config,
    log,
    clock,
    search: {
      ...search,
      search: (call) => {
        searches += 1;
        return search.search(call);
      },
    },
    embeddings: null,
    paidSearch: paid.search,
    lag: { seconds: () => 0.34 },
    meter: silentMeter,
    vocabulary: readVocabulary(),
    knowledge: { latest: () => emptyKnowledge },
    limiters: createLimiters(config.load),
    pages: null,
  };
  // The paid route needs only these parts. Using another one throws.
  const deps = used as Deps;
  const { url, close: closeServer } = await serveChecked(deps);
  const close = async (): Promise<void> => {
    try {
      await closeServer();
    } finally {
      await paid.close();
      await elasticsearch.close();
    }
  };
  let closing: Promise<void> | undefined;
  return {
    url,
    paid,
    log: lines,
    get: (query, header, options) => getPaid(url, query, header, options),
    searches: () => searches,
    [Symbol.asyncDispose]: () => {
      closing ??= close();
      return closing;
    },
  };
}
