import { setTimeout as delay } from 'node:timers/promises';
import { price } from '../../dev/chain/payment.ts';
import { withApiLimits } from '../../dev/lib/limits.ts';
import type { Random } from '../../dev/torture/random.ts';
import { type ApiProcess, startApiProcess } from '../support/api/process.ts';
import { type Bought, buyByMcp, connectAgent, type McpAgent, receiptOf } from '../support/payments/mcp-agent.ts';
import { drawnFrom } from '../support/payments/patient-buyers.ts';
import { newPayers } from '../support/payments/payers.ts';
import { faults, moody } from '../support/proxies/facilitator.ts';
import { paidStage } from '../support/stages/paid.ts';
import { patienceMs } from '../support/until.ts';

// A paying agent over MCP while everything fails between its calls: it pays for exactly its answers.
// `npm run torture:agent` makes 500 calls.

const calls = Number(process.env.CALLS ?? 12);
const callsPerKill = 6;
const agentCount = 3;

const stage = await paidStage();

const settleFaults = [
  ...([faults.reset, faults.hang, faults.error, faults.garbage, faults.busy] as const),
  ...[faults.cutAfter, faults.hangAfter, faults.pendingError],
] as const;
const verifyFaults = [faults.reset, faults.error, faults.html, faults.hang] as const;

/** A fault that hits one request in *n*. */
const oneIn = { settlement: 6, verification: 12, connection: 8, answer: 12 } as const;
/** A paid call takes some 50 ms. */
const longestLifeMs = 100;

/** The network between an agent and the service: requests are cut in progress, and answers are lost. */
function badNetwork(random: Random): typeof fetch {
  return async (input, init) => {
    if (random.chance(1 / oneIn.connection)) {
      const cut = AbortSignal.timeout(1 + random.next() * longestLifeMs);
      return fetch(input, { ...init, signal: cut });
    }
    const response = await fetch(input, init);
    if (!random.chance(1 / oneIn.answer)) return response;
    await response.arrayBuffer();
    throw new TypeError('The answer was lost.');
  };
}

test(
  `${calls} MCP calls while processes are killed and everything else fails: each answer is paid for once`,
  async () => {
    const random = drawnFrom('an agent');
    stage.chain.facilitator.always('verify', moody(random, 1 / oneIn.verification, ...verifyFaults));
    stage.chain.facilitator.always('settle', moody(random, 1 / oneIn.settlement, ...settleFaults));
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
        if (number % callsPerKill === 0) void delay(random.next() * longestLifeMs).then(replaceProcess);
        const habits = { fresh: random.chance(0.5), twice: random.chance(0.15) };
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
    const spent = await Promise.all(payers.map(stage.spent));
    expect(spent.reduce((sum, one) => sum + one, 0n)).toBe(price * BigInt(calls));
    const rows = (await Promise.all(payers.map((payer) => stage.rows(payer)))).flat();
    const settled = rows.filter(({ status }) => status === 'settled').map(({ tx_hash }) => tx_hash);
    expect(settled.toSorted()).toEqual(transactions.toSorted());

    // At the end, the ledger equals the chain.
    await stage.expectAudited(await stage.received());
    const retried = done.filter(({ tries }) => tries > 1).length;
    const signed = done.reduce((sum, one) => sum + one.signed, 0);
    process.stderr.write(`${calls} calls, ${kills} kills, ${retried} calls tried again, ${signed} payments signed\n`);
    // Otherwise no fault has met a payment, and the test proves nothing.
    expect({ kills, enoughRetried: retried > calls / 5 }).toEqual({
      kills: Math.floor(calls / callsPerKill),
      enoughRetried: true,
    });
  },
  Math.max(360_000, calls * 2_500),
);
