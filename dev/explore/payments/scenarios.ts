import type { Scenario } from '../engine/types.ts';
import { noFaults } from './ports.ts';
import { type PaymentScenario, recipients, terms } from './scenario.ts';
import { PaymentWorld } from './world.ts';

const all = { database: true, chain: true, facilitator: true, search: true } as const;

/** A scenario, by default with one API process. */
type Plan = Omit<PaymentScenario, 'apis'> & Partial<Pick<PaymentScenario, 'apis'>>;

const plans: readonly Plan[] = [
  {
    name: 'one-payer-same-header',
    description: 'one payer, who sends the same payment until he is answered; everything may fail',
    payers: [{ key: 'a', query: 'x', style: 'same', attempts: 2, via: ['api'] }],
    faults: all,
    happenings: { crashes: true, leases: true, expiry: true, reorgs: true, drops: true, leaving: true, stopping: true },
  },
  {
    name: 'one-payer-fresh-payments',
    description: 'one payer, who signs anew for every try, as published clients do',
    payers: [{ key: 'a', query: 'x', style: 'fresh', attempts: 3, via: ['api'] }],
    faults: all,
    happenings: { crashes: true, leases: true, expiry: true, reorgs: true, drops: true, leaving: true },
  },
  {
    name: 'facilitator-same-header',
    description:
      'nothing but the facilitator fails, and the payer sends the same payment again: deeper than the others',
    payers: [{ key: 'a', query: 'x', style: 'same', attempts: 3, via: ['api'] }],
    faults: { ...noFaults, facilitator: true },
    happenings: { drops: true },
  },
  {
    name: 'facilitator-fresh-payments',
    description: 'nothing but the facilitator fails, and the payer signs anew for every try',
    payers: [{ key: 'a', query: 'x', style: 'fresh', attempts: 3, via: ['api'] }],
    faults: { ...noFaults, facilitator: true },
    happenings: { drops: true },
  },
  {
    name: 'payer-with-powers',
    description: 'a payer who brings, uses or cancels his authorizations himself',
    payers: [{ key: 'a', query: 'x', style: 'same', attempts: 2, via: ['api'] }],
    faults: { ...noFaults, facilitator: true, chain: true },
    happenings: { payerSpends: true, expiry: true, reorgs: true, drops: true },
  },
  {
    name: 'payer-who-batches',
    description:
      'one payer buys two things at once, and spends both authorizations in one transaction, one of them on us',
    payers: [
      { key: 'a', query: 'x', style: 'same', attempts: 1, via: ['api'] },
      { key: 'a', query: 'y', style: 'same', attempts: 1, via: ['api'] },
    ],
    faults: { ...noFaults, facilitator: true },
    happenings: { payerBatches: true },
  },
  {
    name: 'two-clients-one-payer',
    description: 'two clients of one payer ask the same through two processes',
    apis: { 'api-1': terms(), 'api-2': terms() },
    payers: [
      { key: 'a', query: 'x', style: 'fresh', attempts: 2, via: ['api-1', 'api-2'] },
      { key: 'a', query: 'x', style: 'fresh', attempts: 1, via: ['api-2'] },
    ],
    faults: { ...all, search: false },
    happenings: { crashes: true, leases: true },
  },
  {
    name: 'two-clients-at-once',
    description:
      'only the facilitator fails, and two clients of one payer ask the same at once: deeper than the one above',
    payers: [
      { key: 'a', query: 'x', style: 'same', attempts: 1, via: ['api'] },
      { key: 'a', query: 'x', style: 'same', attempts: 1, via: ['api'] },
    ],
    faults: { ...noFaults, facilitator: true },
    happenings: {},
  },
  {
    name: 'two-payers-three-processes',
    description: 'two payers, three processes, each try goes to another one',
    apis: { 'api-1': terms(), 'api-2': terms(), 'api-3': terms() },
    payers: [
      { key: 'a', query: 'x', style: 'same', attempts: 3, via: ['api-1', 'api-2', 'api-3'] },
      { key: 'b', query: 'x', style: 'fresh', attempts: 2, via: ['api-2', 'api-3'] },
    ],
    faults: all,
    happenings: { crashes: true, leases: true, drops: true },
  },
  {
    name: 'money-for-one',
    description: 'two purchases at once of a payer who has money for one',
    payers: [
      { key: 'a', query: 'x', style: 'same', attempts: 2, via: ['api'] },
      { key: 'a', query: 'y', style: 'same', attempts: 2, via: ['api'] },
    ],
    funds: { a: 1 },
    faults: { ...noFaults, facilitator: true },
    happenings: { drops: true },
  },
  {
    name: 'another-recipient',
    description: 'a rolling restart: the second process has another recipient',
    apis: { 'api-old': terms(recipients.first), 'api-new': terms(recipients.second) },
    payers: [{ key: 'a', query: 'x', style: 'same', attempts: 3, via: ['api-old', 'api-new'] }],
    faults: { ...all, search: false },
    happenings: { crashes: true, expiry: true },
  },
  {
    name: 'impatient-payer',
    description: 'a payer who goes to another process while his request to the first one still works',
    apis: { 'api-1': terms(), 'api-2': terms() },
    payers: [{ key: 'a', query: 'x', style: 'fresh', attempts: 2, via: ['api-1', 'api-2'] }],
    faults: { ...noFaults, facilitator: true },
    happenings: { impatience: true, leases: true, leaving: true },
  },
  {
    name: 'impatient-same-header',
    description: 'the same, with the same payment, and two processes with an observer',
    apis: { 'api-1': terms(), 'api-2': terms() },
    payers: [{ key: 'a', query: 'x', style: 'same', attempts: 2, via: ['api-1', 'api-2'] }],
    faults: { ...noFaults, facilitator: true },
    happenings: { impatience: true, leases: true },
    observers: 2,
  },
  {
    name: 'clocks-differ',
    description: 'one process is ten seconds ahead of the chain, one ten seconds behind',
    apis: { 'api-1': terms(), 'api-2': terms() },
    payers: [{ key: 'a', query: 'x', style: 'fresh', attempts: 3, via: ['api-1', 'api-2'] }],
    faults: { ...noFaults, facilitator: true },
    happenings: { expiry: true, leases: true, drops: true },
    clocks: { 'api-1': 10_000, 'api-2': -10_000 },
  },
  {
    name: 'lost-rows',
    description: 'the database goes back and loses the row of a payment, whose payer sends it again',
    payers: [{ key: 'a', query: 'x', style: 'same', attempts: 3, via: ['api'] }],
    funds: { a: 1 },
    faults: { ...noFaults, facilitator: true },
    happenings: { losses: true, drops: true, leaving: true },
  },
  {
    name: 'lost-rows-another-recipient',
    description: 'the same, and the row is lost before the payment goes to a process with another recipient',
    apis: { 'api-old': terms(recipients.first), 'api-new': terms(recipients.second) },
    payers: [{ key: 'a', query: 'x', style: 'same', attempts: 3, via: ['api-old', 'api-new'], signsFor: 'api-old' }],
    faults: { ...noFaults, facilitator: true },
    happenings: { losses: true, leaving: true },
    audited: true,
  },
  {
    name: 'audited',
    description: 'ledger and chain are compared while rows are lost and blocks are taken back',
    payers: [{ key: 'a', query: 'x', style: 'same', attempts: 2, via: ['api'] }],
    faults: { ...noFaults, database: true, chain: true },
    happenings: { losses: true, reorgs: true, drops: true, leaving: true },
    audited: true,
    logLagBlocks: 2,
  },
  {
    name: 'lagging-logs',
    description: "the node's index of logs is behind, and Postgres' clock ahead",
    payers: [{ key: 'a', query: 'x', style: 'fresh', attempts: 3, via: ['api'] }],
    faults: { ...noFaults, facilitator: true },
    happenings: { expiry: true, drops: true, leases: true },
    logLagBlocks: 20,
    postgresAheadMs: 90_000,
  },
  {
    name: 'named-purchases',
    description: 'a payer names his purchases, and uses the name for something else too',
    payers: [
      { key: 'a', query: 'x', style: 'fresh', attempts: 2, via: ['api'], paymentId: 'a-name-for-a-purchase' },
      { key: 'a', query: 'y', style: 'same', attempts: 1, via: ['api'], paymentId: 'a-name-for-a-purchase' },
    ],
    faults: { ...noFaults, facilitator: true },
    happenings: { leaving: true, crashes: true },
  },
  {
    name: 'another-network',
    description: 'a rolling restart: the second process is of another network, and has no node of the first one',
    apis: { 'api-old': terms(), 'api-new': terms(recipients.first, 'eip155:8453') },
    payers: [{ key: 'a', query: 'x', style: 'same', attempts: 3, via: ['api-old', 'api-new'], signsFor: 'api-old' }],
    faults: { ...noFaults, facilitator: true, search: true },
    happenings: { crashes: true, expiry: true, drops: true },
    withoutNode: ['api-new'],
  },
  {
    name: 'strangers',
    description: 'somebody who has seen a payment on the chain shows it for himself, while its payer is told no',
    payers: [{ key: 'a', query: 'x', style: 'same', attempts: 2, via: ['api'] }],
    faults: { ...noFaults, facilitator: true },
    happenings: { strangers: true, drops: true },
  },
  {
    name: 'young-blocks',
    description: 'the observer looks every second while blocks are taken back',
    payers: [{ key: 'a', query: 'x', style: 'same', attempts: 1, via: ['api'] }],
    faults: noFaults,
    happenings: { reorgs: true, drops: true },
    observeMs: 1_000,
  },
  {
    name: 'undecidable-neighbours',
    description: 'rows of a network without a node stand before the others',
    payers: [{ key: 'a', query: 'x', style: 'same', attempts: 2, via: ['api'] }],
    faults: { ...noFaults, facilitator: true, chain: true },
    happenings: { drops: true },
    undecidable: 2,
    passMax: 2,
  },
];

/** The same, with the tool of the MCP server as the only way in. */
function byMcp(plan: Plan): Plan {
  return {
    ...plan,
    name: `mcp-${plan.name}`,
    description: `${plan.description}; by MCP`,
    payers: plan.payers.map((payer) => ({ ...payer, entrances: ['mcp'] })),
  };
}

const bothEntrances: readonly Plan[] = [
  {
    name: 'both-entrances-same-payment',
    description: 'one payer, who sends the same payment by HTTP and by MCP in turn',
    apis: { 'api-1': terms(), 'api-2': terms() },
    payers: [
      {
        key: 'a',
        query: 'x',
        style: 'same',
        attempts: 3,
        via: ['api-1', 'api-2'],
        entrances: ['http', 'mcp', 'http'],
      },
    ],
    faults: all,
    happenings: { crashes: true, leases: true, drops: true, leaving: true, impatience: true },
  },
  {
    name: 'both-entrances-fresh-payments',
    description: 'two clients of one payer ask the same at once, one by HTTP and one by MCP',
    payers: [
      { key: 'a', query: 'x', style: 'fresh', attempts: 2, via: ['api'], entrances: ['mcp'] },
      { key: 'a', query: 'x', style: 'fresh', attempts: 2, via: ['api'] },
    ],
    faults: { ...all, search: false },
    happenings: { crashes: true, leases: true, leaving: true },
  },
];

export const scenarios: readonly Scenario[] = [...plans, ...plans.map(byMcp), ...bothEntrances].map((plan) => ({
  name: plan.name,
  description: plan.description,
  createWorld: (run) => new PaymentWorld(run, { apis: { api: terms() }, ...plan }),
  maxSteps: 900,
}));
