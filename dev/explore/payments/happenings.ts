import type { EnvironmentAction, Run } from '../engine/types.ts';
import type { Chain } from './chain.ts';
import type { Ledger } from './ledger.ts';
import { type Exchange, epochMs, type PaymentScenario, type Signed } from './scenario.ts';
import { forged } from './signing.ts';

// Events around the service that are possible at any moment, each at the cost of one deviation.

export interface Surroundings {
  readonly run: Run;
  readonly scenario: PaymentScenario;
  readonly ledger: Ledger;
  readonly chain: Chain;
  readonly signed: readonly Signed[];
  readonly exchanges: readonly Exchange[];
  /** By process: aborted when it must stop soon. */
  readonly stopping: ReadonlyMap<string, AbortController>;
  /** Sends a request whose sender expects nothing. */
  readonly send: (payment: Signed, name: string) => void;
}

export function happeningActions(around: Surroundings): EnvironmentAction[] {
  return [lossActions, reorgActions, timeActions, payerActions, processActions, strangerActions].flatMap((actions) =>
    actions(around),
  );
}

function action(label: string, apply: () => void): EnvironmentAction {
  return { label, cost: 1, apply };
}

/** Transactions that wait are mined or, if the scenario allows it, dropped. */
export function miningActions(chain: Chain, { drops }: PaymentScenario['happenings']): EnvironmentAction[] {
  if (chain.waiting.length === 0) return [];
  const mined = { label: 'a block is mined', cost: 1, idle: true, apply: () => chain.mine() };
  return drops ? [mined, action('what waits is dropped', () => chain.drop())] : [mined];
}

/** Time passes while calls are under way: leases lapse, authorizations expire. */
function timeActions({ run, scenario, ledger, signed }: Surroundings): EnvironmentAction[] {
  const { happenings } = scenario;
  const now = epochMs + run.now();
  const to = (label: string, ms: number): EnvironmentAction => action(label, () => run.advanceTo(ms - epochMs));
  const [lease] = happenings.leases ? [...ledger.leaseEnds()].sort((a, b) => a - b) : [];
  const ends = signed.map(({ spending }) => Number(spending.validBefore) * 1_000).filter((end) => end > now);
  const end = happenings.expiry && ends.length > 0 ? Math.min(...ends) : undefined;
  return [
    ...(lease === undefined ? [] : [to('a lease lapses', lease + 1 - (scenario.postgresAheadMs ?? 0))]),
    ...(end === undefined ? [] : [to('an authorization expires', end)]),
  ];
}

/** Uses of signed payments by payers other than sending them to us. */
function payerActions({ scenario, chain, signed }: Surroundings): EnvironmentAction[] {
  const { happenings } = scenario;
  const usable = signed.filter(({ spending }) => !chain.spent(spending.from, spending.nonce, Infinity));
  const last = usable.at(-1)?.spending;
  const actions: EnvironmentAction[] = [];
  if (happenings.payerSpends && last !== undefined) {
    const name = last.nonce.slice(-3);
    actions.push(
      action(`the payer brings ${name} to the chain himself`, () => {
        chain.brought += 1;
        chain.send([last]);
      }),
      action(`the payer uses ${name} for himself`, () => void chain.send([{ ...last, to: last.from }])),
      action(`the payer cancels ${name}`, () => void chain.send([{ ...last, kind: 'cancel' }])),
    );
  }
  if (happenings.payerBatches && usable.length > 1) {
    const batch = usable.map(({ spending }, at) => (at === 0 ? spending : { ...spending, to: spending.from }));
    actions.push(action('the payer spends all in one transaction, one of them on us', () => void chain.send(batch)));
  }
  return actions;
}

/** A third party who has seen a payment on the chain presents it: once a run, for a search that its payer did not request. */
function strangerActions({ scenario, chain, signed, exchanges, send }: Surroundings): EnvironmentAction[] {
  const seen = signed.find(({ spending }) => chain.isPublic(spending.nonce));
  const came = exchanges.some(({ name }) => name.startsWith(strangerName));
  if (!scenario.happenings.strangers || seen === undefined || came) return [];
  const theft = { ...seen, query: 'something else' };
  return [
    action('a stranger shows what he has seen', () => send(theft, `${strangerName}, for himself`)),
    action('a stranger shows what he has seen, with another end', () =>
      send(forged(theft), `${strangerName}, forging`),
    ),
  ];
}

const strangerName = 'stranger';

/** The database goes back to a time before a row, once per run: asynchronous failover, or a restore. */
function lossActions({ scenario, ledger }: Surroundings): EnvironmentAction[] {
  if (!scenario.happenings.losses || ledger.losses > 0) return [];
  return ledger.all().map(({ id }) => action(`row ${id} is lost`, () => ledger.lose(id)));
}

/** Replaceable blocks are replaced, once per run. */
function reorgActions({ scenario, chain }: Surroundings): EnvironmentAction[] {
  if (!scenario.happenings.reorgs || !chain.canTakeBack || chain.reorgs > 0) return [];
  return [
    action('a block is taken back, what was in it waits', () => chain.takeBack(true)),
    action('a block is taken back, what was in it is lost', () => chain.takeBack(false)),
    action('blocks are replaced, what was in them comes earlier', () => chain.replace()),
  ];
}

/** Callers leave or give up, and processes stop, while requests are in progress. */
function processActions({ scenario, exchanges, stopping }: Surroundings): EnvironmentAction[] {
  const { happenings } = scenario;
  const open = exchanges.filter(({ over, broken, outcome }) => !over && !broken && outcome === null);
  const leaving = open.map((exchange) =>
    action(`${exchange.name} hangs up`, () => {
      exchange.broken = true;
      exchange.client.abort();
    }),
  );
  const stops = [...stopping]
    .filter(([, { signal }]) => !signal.aborted)
    .map(([name, controller]) => action(`${name} must stop soon`, () => controller.abort()));
  const impatience = open.map((exchange) =>
    action(`the payer takes ${exchange.name} for dead`, () => {
      exchange.broken = true;
      exchange.unnoticed = true;
    }),
  );
  return [
    ...(happenings.impatience ? impatience : []),
    ...(happenings.leaving ? leaving : []),
    ...(happenings.stopping ? stops : []),
  ];
}
