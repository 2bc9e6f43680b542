import { type Edit, type Mutant, payment, simulated } from './mutant.ts';
import { formerDefects } from './payments-former.ts';
import { mcpDefects } from './payments-mcp.ts';

const claimEnds = (replace: string): Edit => ({
  file: payment('ledger/states'),
  find: "released: 'released', refused: 'refused', intended",
  replace,
});
/**
 * Not among them, because no promise of these worlds needs them alone: that a change compares the lease's holder, and that
 * two purchases of the same can't be open. The status is compared as well, claims are decided one after another, and the
 * token takes an authorization once. test/services/payments/audit/payments-ledger-model.test.ts sees both where they are missing.
 */
const inventedDefects: readonly Mutant[] = [
  {
    name: 'a released claim is deleted',
    edits: [claimEnds("released: 'absent', refused: 'refused', intended")],
    scenario: 'one-payer-same-header',
    found: 'invariant forgotten',
  },
  {
    name: 'a refused claim is deleted',
    edits: [claimEnds("released: 'released', refused: 'absent', intended")],
    scenario: 'one-payer-same-header',
    found: 'invariant forgotten',
  },
  {
    name: 'the intent is stored while the settlement is under way',
    edits: [
      {
        file: payment('flow/execution'),
        find: "if (!(await deps.rows.advance(row, 'intended', { body, leaseMs: deps.limits.leaseMs }))) return again;",
        replace:
          "deps.retryInBackground('i', () => deps.rows.advance(row, 'intended', { body, leaseMs: deps.limits.leaseMs }));",
      },
    ],
    scenario: 'one-payer-same-header',
    found: 'invariant no intent',
  },
  {
    name: 'success is believed without the chain',
    edits: [
      {
        file: payment('flow/settlement'),
        find: '  const verdict = await watchChain({ ...row, transaction }, context, isDecided);',
        replace: "  const verdict = { kind: 'no-answer' } as ChainVerdict;",
      },
    ],
    scenario: 'one-payer-same-header',
    found: 'invariant on word',
  },
  {
    name: 'the answer is served before its transfer has landed',
    edits: [
      {
        file: payment('flow/settlement'),
        find: '  return isDecided(verdict) ? verdict : unknown(row);',
        replace:
          "  return isDecided(verdict) ? verdict : { kind: 'landed', transaction: row.transaction ?? row.nonce, block: 1 };",
      },
    ],
    scenario: 'one-payer-same-header',
    found: 'invariant unpaid',
  },
  {
    name: 'refused payments are not met again',
    edits: [
      {
        file: simulated('ledger'),
        find: "if (row.status === 'refused') return !claim.checkedRefusals.includes(row.id);",
        replace: "if (row.status === 'refused') return false;",
      },
    ],
    scenario: 'facilitator-fresh-payments',
    found: 'invariant paid again',
  },
  {
    name: 'released payments are not met again',
    edits: [
      {
        file: simulated('ledger'),
        find: "if (row.status === 'denied') return false;",
        replace: "if (row.status === 'denied' || row.status === 'released') return false;",
      },
    ],
    scenario: 'facilitator-fresh-payments',
    found: 'invariant paid again',
  },
  {
    name: 'what was given up is reopened without a look at the chain',
    edits: [
      {
        file: payment('flow/existing'),
        find: `  const { deps } = context;
  const result = await firstVerdict(row, context);`,
        replace: `  const { deps } = context;
  const result = { kind: 'open', failed: false } as never as Awaited<ReturnType<typeof firstVerdict>>;`,
      },
    ],
    scenario: 'facilitator-same-header',
    found: 'invariant told no',
  },
  {
    name: 'a block is final at once',
    edits: [
      {
        file: payment('ledger/evidence'),
        find: 'const final = head !== null && spending.block <= head.finalNumber;',
        replace: 'const final = head !== null;',
      },
    ],
    scenario: 'young-blocks',
    found: 'invariant ledger',
  },
  {
    name: 'settled for a client that has gone',
    edits: [
      {
        file: payment('flow/execution'),
        find: "Outcome | null {\n  if (purchase.clientSignal.aborted) return { kind: 'gone' };\n",
        replace: 'Outcome | null {\n',
      },
    ],
    scenario: 'one-payer-same-header',
    found: 'invariant nobody waits',
  },
  {
    name: 'a row is made although the authorization is spent or the purse is empty',
    edits: [{ file: simulated('ledger'), find: 'return claim.mayOpen ?', replace: 'return claim.mayOpen || true ?' }],
    scenario: 'money-for-one',
    found: 'invariant barred',
  },
  {
    name: 'a void row ends before that is final',
    edits: [
      { file: payment('ledger/observe'), find: "  return final ? 'pruned' : null;", replace: "  return 'pruned';" },
    ],
    scenario: 'one-payer-same-header',
    found: 'invariant forgotten',
  },
  {
    name: 'an expired authorization is void before a final block says so',
    edits: [
      {
        file: payment('ledger/evidence'),
        find: 'final: BigInt(head.finalSeconds) >= authorization.validBefore };',
        replace: 'final: true };',
      },
    ],
    scenario: 'one-payer-same-header',
    found: 'invariant forgotten',
  },
  {
    name: 'a payment that was given up may buy something else',
    edits: [
      {
        file: payment('flow/existing'),
        find: '!isSamePayment(row, context) || !same)',
        replace: "!isSamePayment(row, context) || (!same && row.status === 'settled'))",
      },
    ],
    scenario: 'strangers',
    found: 'invariant unpaid',
  },
  {
    name: 'a payment is looked for only in blocks after its first look',
    edits: [
      {
        file: payment('flow/purchase'),
        find: 'onChain.block + 1 - deps.chain.reorgBlocks',
        replace: 'onChain.block + 1',
      },
    ],
    scenario: 'young-blocks',
    found: 'step bound',
  },
];

export const mutants = [...formerDefects, ...inventedDefects, ...mcpDefects];
