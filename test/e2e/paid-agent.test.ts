import { setTimeout as delay } from 'node:timers/promises';
import { balanceOf, chainClient } from '../../dev/chain/chain.ts';
import { localNetwork } from '../../dev/chain/network.ts';
import { price } from '../../dev/chain/payment.ts';
import { entitySearch } from '../../dev/lib/command-line.ts';
import { withApiLimits } from '../../dev/lib/limits.ts';
import { seededRandom } from '../../dev/torture/random.ts';
import { type ApiProcess, startApiProcess } from '../support/api/process.ts';
import { type Bought, buyByMcp, connectAgent, type McpAgent, receiptOf } from '../support/payments/mcp-agent.ts';
import { newPayers } from '../support/payments/payers.ts';
import { type Behaviour, type Exchange, faults, pass } from '../support/proxies/facilitator.ts';
import { paidStage } from '../support/stages/paid.ts';
import { patienceMs } from '../support/until.ts';

// A paying agent through MCP while everything fails between its calls: what was paid is what was answered.
// `npm run torture:agent` makes 500 calls.

const calls = Number(process.env.CALLS ?? 60);
/** Calls between two kills of a process. */
const callsPerKill = 20;
const agentCount = 4;

const stage = await paidStage();

/** Its answer reports a pending settlement, though it has landed. */
const pendingError = async (exchange: Exchange): Promise<void> => {
  const answer = JSON.parse(await exchange.forward()) as { transaction?: string };
  exchange.answer(500, JSON.stringify({ ...answer, success: false, errorReason: 'settlement_pending' }));
};
const settleFaults: readonly Behaviour[] = [
  faults.reset,
  faults.hang,
  faults.error,
  faults.garbage,
  faults.busy,
  faults.cutAfter,
  faults.hangAfter,
  pendingError,
];
const verifyFaults: readonly Behaviour[] = [faults.reset, faults.error, faults.html, faults.hang];

/** A fault that hits one request in *n*. */
const oneIn = { settlement: 6, verification: 12, connection: 8, answer: 12 } as const;
/** A paid call takes some 50 ms. */
const longestLifeMs = 100;

/** The network between an agent and the service: requests are cut while they work, and answers lost that were made. */
function badNetwork(random: () => number): typeof fetch {
  return async (input, init) => {
    if (random() * oneIn.connection < 1) {
      const cut = AbortSignal.timeout(1 + random() * longestLifeMs);
      return fetch(input, { ...init, signal: cut });
    }
    const response = await fetch(input, init);
    if (random() * oneIn.answer >= 1) return response;
    await response.arrayBuffer();
    throw new TypeError('The answer was lost.');
  };
}

test(
  `${calls} calls by MCP with faults between: money is answers, to the unit`,
  async () => {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));
    const random = seededRandom(seed).next;
    process.stderr.write(`an agent with SEED=${seed}\n`);
    const moody = (trouble: readonly Behaviour[], one: number): Behaviour => {
      return (exchange) =>
        random() * one >= 1 ? pass(exchange) : (trouble[Math.floor(random() * trouble.length)] ?? pass)(exchange);
    };
    stage.chain.facilitator.always('verify', moody(verifyFaults, oneIn.verification));
    stage.chain.facilitator.always('settle', moody(settleFaults, oneIn.settlement));
    const env = withApiLimits(stage.env, {
      drain: { graceMs: 0 },
      paid: {
        facilitator: { verifyTimeoutMs: 600, settleTimeoutMs: 900 },
        limits: { leaseMs: 1_000, reconcileMs: 300 },
        observer: { everyMs: 500 },
      },
    });
    const limit = AbortSignal.timeout(Math.max(patienceMs, calls * 2_000));
    const payers = await newPayers(stage.chain.chain, agentCount, calls);
    const before = await stage.received();

    // The next process starts while one serves, as behind a load balancer.
    let serving: ApiProcess = startApiProcess(env);
    let address = await serving.url;
    let spare = startApiProcess(env);
    let begun = 0;
    let kills = 0;
    const network = badNetwork(random);
    const connect = (): Promise<McpAgent> => connectAgent(address, network);

    async function replaceProcess(): Promise<void> {
      kills += 1;
      const killed = serving;
      const next = await spare.url;
      killed.child.kill('SIGKILL');
      address = next;
      serving = spare;
      spare = startApiProcess(env);
      await killed.ended;
    }

    const done: Bought[] = [];
    const agents = payers.map(async (payer) => {
      while (begun < calls) {
        begun += 1;
        const number = begun;
        if (number % callsPerKill === 0) void delay(random() * longestLifeMs).then(replaceProcess);
        const habits = { fresh: random() < 0.5, twice: random() < 0.15 };
        const query = `quartz ${number}`;
        done.push(await buyByMcp(payer, { query, kind: 'companies', limit: 3 }, connect, habits, limit));
      }
    });
    await Promise.all(agents);
    await serving[Symbol.asyncDispose]();
    await spare[Symbol.asyncDispose]();

    expect(done).toHaveLength(calls);
    const transactions = done.map(({ result }) => receiptOf(result)?.transaction);
    expect(new Set(transactions).size).toBe(calls);
    expect((await stage.received()) - before).toBe(price * BigInt(calls));
    const spent = await Promise.all(
      payers.map(async ({ account, funds }) => funds - (await balanceOf(stage.chain.chain, account.address))),
    );
    expect(spent.reduce((sum, one) => sum + one, 0n)).toBe(price * BigInt(calls));
    const rows = (await Promise.all(payers.map((payer) => stage.rows(payer)))).flat();
    const settled = rows.filter(({ status }) => status === 'settled').map(({ tx_hash }) => tx_hash);
    expect(settled.toSorted()).toEqual(transactions.toSorted());

    // To the end, the ledger is the chain.
    await chainClient(stage.chain.chain).mine({ blocks: localNetwork.reorgBlocks + 1 });
    const { code, out } = await entitySearch(['payments', 'audit'], stage.env);
    expect({ code, out: JSON.parse(out) }).toMatchObject({
      code: 0,
      out: { open_findings: 0, recipients: [{ state: 'done' }] },
    });
    const retried = done.filter(({ tries }) => tries > 1).length;
    const signed = done.reduce((sum, one) => sum + one.signed, 0);
    process.stderr.write(`${calls} calls, ${kills} kills, ${retried} calls tried again, ${signed} payments signed\n`);
    // Else the faults have met no payment, and nothing was shown.
    expect({ kills, enoughRetried: retried > calls / 5 }).toEqual({
      kills: Math.floor(calls / callsPerKill),
      enoughRetried: true,
    });
  },
  Math.max(180_000, calls * 2_500),
);
