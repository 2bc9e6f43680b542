import type pg from 'pg';
import { type PaidConfig, readPaidConfig } from '../../../src/config/payments.ts';
import type { Environment } from '../../../src/config/settings.ts';
import { networkOf } from '../../../src/payments/protocol/assets.ts';
import { countWithoutNode, withoutNodeSentence } from '../../../src/postgres/payments/ledger-admin.ts';
import { createChain } from '../../../src/x402/chain.ts';
import { supportedPayments } from '../../../src/x402/facilitator.ts';
import { type Check, readIfValid } from '../check.ts';
import { fail, ok, skipped, type Verdict, warn } from '../finding.ts';

/** Checks the services that paid search depends on, if it is switched on. */
export function paidChecks(env: Environment): readonly Check[] {
  const config = readIfValid(() => readPaidConfig(env));
  if (config === undefined) return [];
  if (config === null) {
    return [{ name: 'paid search', run: async () => skipped('The paid search is off: X402_PAY_TO is not set.') }];
  }
  return [
    { name: 'facilitator', run: () => checkFacilitator(config) },
    { name: "chain's node", run: () => checkChain(config) },
  ];
}

async function checkFacilitator({ facilitator: settings, terms }: PaidConfig): Promise<Verdict> {
  const wanted = `2 exact ${terms.asset.network}`;
  try {
    const offered = await supportedPayments(settings);
    if (offered.includes(wanted)) {
      return ok(`It settles exact payments on ${networkOf(terms.asset).title} (${terms.asset.network}).`);
    }
    const found = `It does not settle exact payments on ${terms.asset.network}; it offers ${offered.join(', ') || 'nothing'}.`;
    return fail(found, 'Correct X402_FACILITATOR_URL or X402_NETWORK: no payment is accepted.');
  } catch (error) {
    const found = `It did not answer (${reasonOf(error)}).`;
    return fail(
      found,
      'Correct X402_FACILITATOR_URL (redirects are not followed) or its headers, or wait: no payment is accepted.',
    );
  }
}

async function checkChain({ chain: settings, terms }: PaidConfig): Promise<Verdict> {
  const { asset } = terms;
  const network = networkOf(asset);
  const node = createChain(settings, network);
  try {
    const [chainId, block] = await Promise.all([node.chainId(), node.block(network.name, 'latest')]);
    if (chainId !== network.chainId) {
      const found = `X402_RPC_URL leads to the chain ${chainId}, but ${network.name} is ${network.chainId}.`;
      return fail(found, `Give the address of a node of ${network.title}: the API refuses to start.`);
    }
    const domain = await node.domain(asset);
    if (domain.name !== asset.domain.name || domain.version !== asset.domain.version) {
      const found = `The token calls itself ${domain.name} ${domain.version}, not ${asset.domain.name} ${asset.domain.version}.`;
      return fail(found, 'Give the address of a node of the right chain.');
    }
    return ok(`It is on ${network.title} (chain ${chainId}), at block ${block.number}.`);
  } catch (error) {
    const todo = 'Correct X402_RPC_URL, or wait. Until then, the outcome of interrupted payments is unknown.';
    return fail(reasonOf(error), todo);
  }
}

/** Returns the messages of the error and its cause without addresses, which may hold a credential. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const { cause } = error;
  const deeper = cause instanceof Error ? `: ${cause.message}` : '';
  return `${error.message}${deeper}`.replace(/\w+:\/\/\S+/g, '[address]');
}

/** Finding and remedy for each count (`#`) that is not 0. */
const countMeanings = {
  open: [
    '# payment(s) are open for more than an hour.',
    "See entity-search payments list; an API process decides them once the chain's node shows their transfer, or their authorization has expired.",
  ],
  findings: [
    'Ledger and chain differ in # finding(s).',
    'Run: entity-search payments audit, and acknowledge the expected findings.',
  ],
  late: [
    'The audit of # recipient(s) has not finished for a day.',
    'Run: entity-search payments audit; the log of the API has the reason.',
  ],
} as const;

/**
 * Checks the ledger of payments.
 * @param network the network with a configured node; null if payments are not configured
 */
export function ledgerCheck(pool: pg.Pool, network: string | null): Check {
  return {
    name: 'payments',
    notAllowed: 'This role has no right to read them. Run doctor as entity_search_admin or the owner.',
    run: () => checkLedger(pool, network),
  };
}

async function checkLedger(pool: pg.Pool, network: string | null): Promise<Verdict | readonly Verdict[]> {
  const { rows } = await pool.query<Record<string, number>>(
    `select (select count(*) from x402_payments where status in ('processing', 'settling')
               and created_at < now() - interval '1 hour' and ($1::text is null or network = $1))::int as open,
            (select count(*) from x402_audit_findings where resolved_at is null and acknowledged_at is null)::int as findings,
            (select count(*) from x402_recipients where network = $1
               and coalesce(finished_at, created_at) < now() - interval '1 day')::int as late`,
    [network],
  );
  const verdicts = Object.entries(countMeanings).flatMap(([name, [found, todo]]) => {
    const count = rows[0]?.[name] ?? 0;
    return count > 0 ? [warn(found.replace('#', String(count)), todo)] : [];
  });
  const withoutNode = network === null ? 0 : await countWithoutNode(pool, network);
  if (network !== null && withoutNode > 0) {
    const todo =
      'Run one API process with X402_NETWORK and X402_RPC_URL of that network until they are settled or expired.';
    verdicts.push(warn(withoutNodeSentence(withoutNode, network), todo));
  }
  return verdicts.length > 0 ? verdicts : ok('No payment is stuck or inconsistent with the chain.');
}
