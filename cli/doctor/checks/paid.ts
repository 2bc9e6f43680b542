import { type PaidConfig, readPaidConfig } from '../../../src/config/payments.ts';
import { type Environment, SettingsError } from '../../../src/config/settings.ts';
import { createChain } from '../../../src/x402/chain.ts';
import { FacilitatorRedirects, supportedPayments } from '../../../src/x402/facilitator.ts';
import { type Check, type Finding, fail, ok, skipped } from '../finding.ts';

const facilitatorName = 'facilitator';
const chainName = "chain's node";

/** Whom the paid search depends on, where it is switched on. */
export function paidChecks(env: Environment): readonly Check[] {
  const config = readOrNull(env);
  if (config === 'wrong') return [];
  if (config === null) {
    return [{ name: 'paid search', look: async () => [skipped('paid search', 'It is off: X402_PAY_TO is not set.')] }];
  }
  return [
    { name: facilitatorName, look: () => facilitator(config) },
    { name: chainName, look: () => chain(config) },
  ];
}

/** What is wrong is told by the check of the settings. */
function readOrNull(env: Environment): PaidConfig | null | 'wrong' {
  try {
    return readPaidConfig(env);
  } catch (error) {
    if (error instanceof SettingsError) return 'wrong';
    throw error;
  }
}

async function facilitator({ facilitator: settings, terms }: PaidConfig): Promise<readonly Finding[]> {
  const wanted = `2 exact ${terms.network.name}`;
  try {
    const offered = await supportedPayments(settings);
    if (offered.includes(wanted)) {
      return [ok(facilitatorName, `It settles exact payments on ${terms.network.title} (${terms.network.name}).`)];
    }
    const found = `It does not settle exact payments on ${terms.network.name}; it offers ${offered.join(', ') || 'nothing'}.`;
    return [fail(facilitatorName, found, 'Correct X402_FACILITATOR_URL or X402_NETWORK: nobody can pay.')];
  } catch (error) {
    if (error instanceof FacilitatorRedirects) return [redirected(error, settings.url)];
    const found = `It gave no answer (${reasonOf(error)}).`;
    return [fail(facilitatorName, found, 'Correct X402_FACILITATOR_URL or its headers, or wait: nobody can pay.')];
  }
}

function redirected({ status, origin, samePath }: FacilitatorRedirects, configured: string): Finding {
  const where = origin === null ? 'an address that can not be read' : `${origin}${samePath ? '' : ', by another path'}`;
  const found = `It is somewhere else: it answers with a redirect (${status}) to ${where}. None is followed: nobody can pay.`;
  if (origin === null)
    return fail(facilitatorName, found, "Correct X402_FACILITATOR_URL: ask for the facilitator's address.");
  const todo = samePath
    ? `Set X402_FACILITATOR_URL to the same address with ${origin} in place of ${new URL(configured).origin}, if you trust that.`
    : `Set X402_FACILITATOR_URL to the facilitator's address at ${origin}, if you trust that.`;
  return fail(facilitatorName, found, todo);
}

async function chain({ chain: settings, terms }: PaidConfig): Promise<readonly Finding[]> {
  const { network } = terms;
  const node = createChain(settings, network);
  try {
    const [chainId, block] = await Promise.all([node.chainId(), node.block(network.name, 'latest')]);
    if (chainId !== network.chainId) {
      const found = `X402_RPC_URL leads to the chain ${chainId}, but ${network.name} is ${network.chainId}.`;
      return [fail(chainName, found, `Give the address of a node of ${network.title}: the API refuses to start.`)];
    }
    const domain = await node.domain();
    if (domain.name !== network.domain.name || domain.version !== network.domain.version) {
      const found = `The token calls itself ${domain.name} ${domain.version}, not ${network.domain.name} ${network.domain.version}.`;
      return [fail(chainName, found, 'Give the address of a node of the right chain.')];
    }
    return [ok(chainName, `It is on ${network.title} (chain ${chainId}), at block ${block.number}.`)];
  } catch (error) {
    const todo = 'Correct X402_RPC_URL, or wait: how an interrupted payment ended can not be told.';
    return [fail(chainName, reasonOf(error), todo)];
  }
}

/** The error's own words and those of its cause; addresses may hold a credential and are left out. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const { cause } = error;
  const deeper = cause instanceof Error ? `: ${cause.message}` : '';
  return `${error.message}${deeper}`.replace(/\w+:\/\/\S+/g, '[address]');
}
