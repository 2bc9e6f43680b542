import { type Mutant, mutant, payment, simulated } from './mutant.ts';
import { mcpDefects } from './payments-mcp.ts';

/** Defects that were once in this code. */
const formerDefects: readonly Mutant[] = [
  mutant('a no after a vague answer is believed, and the row goes', 'facilitator-same-header', 'invariant forgotten', [
    [payment('ledger/states'), '  unknown: {\n', "  unknown: {\n    refused: 'absent',\n"],
    [
      payment('flow/settlement'),
      "  if (row.status !== 'settling') return searchChain(row, context);\n  const verdict",
      '  const verdict',
    ],
  ]),
  mutant('a no after a vague answer is believed', 'facilitator-same-header', 'invariant told no', [
    [payment('ledger/states'), '  unknown: {\n', "  unknown: {\n    refused: 'refused',\n"],
    [
      payment('flow/settlement'),
      "  if (row.status !== 'settling') return searchChain(row, context);\n  const verdict",
      '  const verdict',
    ],
  ]),
  mutant(
    'a vague answer is followed by another settlement before the row says unknown',
    'facilitator-same-header',
    'invariant told no',
    [
      [
        payment('flow/execution'),
        `  const unknown: OpenPayment = { ...row, status: 'unknown', transaction };
  if (row.status === 'settling') {`,
        '  const unknown: OpenPayment = row;\n  if (false) {',
      ],
    ],
  ),
  mutant('status 429 on settlement means not sent', 'facilitator-same-header', 'invariant told no', [
    [
      'src/x402/facilitator.ts',
      '    const answer = schema.safeParse(parseJson(reply.text));',
      `    if (reply.status === 429) return { kind: 'not-sent', cause: null };
    const answer = schema.safeParse(parseJson(reply.text));`,
    ],
  ]),
  mutant('any transfer of the transaction counts', 'payer-who-batches', 'invariant unpaid', [
    [
      payment('ledger/evidence'),
      'isOwnTransfer(events[at + 1], row)',
      'events.some((event) => isOwnTransfer(event, row))',
    ],
  ]),
  mutant('a row is judged by the recipient of today', 'another-recipient', 'invariant told no', [
    [
      payment('flow/settlement'),
      'findEvidence(deps.chain, row, { finality: false })',
      'findEvidence(deps.chain, { ...row, payTo: deps.terms.payTo }, { finality: false })',
    ],
  ]),
  mutant('the facilitator is told the terms of today', 'another-recipient', 'invariant terms', [
    [
      payment('flow/settlement'),
      'payTo: getAddress(row.payTo), amount: row.amount, maxTimeoutSeconds };',
      'payTo: terms.payTo, amount: row.amount, maxTimeoutSeconds };',
    ],
  ]),
  mutant('terms are checked before the row is looked up', 'another-recipient', 'invariant told no', [
    [
      payment('flow/purchase'),
      "return known ? { kind: 'admitted', ...admission } : refused(refusal.code, refusal.message);",
      'return refused(refusal.code, refusal.message);',
    ],
  ]),
  mutant('the observer looks in the order of ids', 'undecidable-neighbours', 'step bound', [
    [simulated('ledger'), '.sort((a, b) => a.looked - b.looked || a.id - b.id)', '.sort((a, b) => a.id - b.id)'],
  ]),
  mutant('delivery is noted on settled rows only', 'one-payer-same-header', 'invariant delivery', [
    [
      simulated('ledger'),
      '    if (row === undefined) return;\n    row.updatedAtMs',
      "    if (row?.status !== 'settled') return;\n    row.updatedAtMs",
    ],
  ]),
];

/**
 * Two checks have no mutant, because no promise of these worlds needs them alone: a change compares the lease's holder,
 * and two purchases of the same search can't be open at once. The status is compared as well, claims are decided one
 * after another, and the token accepts an authorization once. payments-ledger-model.test.ts tests both checks.
 */
const inventedDefects: readonly Mutant[] = [
  mutant('a released claim is deleted', 'one-payer-same-header', 'invariant forgotten', [
    [
      payment('ledger/states'),
      "released: 'released', refused: 'refused', intended",
      "released: 'absent', refused: 'refused', intended",
    ],
  ]),
  mutant('a refused claim is deleted', 'one-payer-same-header', 'invariant forgotten', [
    [
      payment('ledger/states'),
      "released: 'released', refused: 'refused', intended",
      "released: 'released', refused: 'absent', intended",
    ],
  ]),
  mutant('the intent is stored while the settlement is under way', 'one-payer-same-header', 'invariant no intent', [
    [
      payment('flow/execution'),
      "if (!(await deps.rows.advance(row, 'intended', { body, leaseMs: deps.limits.leaseMs }))) return again;",
      "deps.retryInBackground('i', () => deps.rows.advance(row, 'intended', { body, leaseMs: deps.limits.leaseMs }));",
    ],
  ]),
  mutant('success is believed without the chain', 'one-payer-same-header', 'invariant on word', [
    [
      payment('flow/settlement'),
      '  const verdict = await watchChain({ ...row, transaction }, context, isDecided);',
      "  const verdict = { kind: 'no-answer' } as ChainVerdict;",
    ],
  ]),
  mutant('the answer is served before its transfer has landed', 'one-payer-same-header', 'invariant unpaid', [
    [
      payment('flow/settlement'),
      '  return isDecided(verdict) ? verdict : unknown(row);',
      "  return isDecided(verdict) ? verdict : { kind: 'landed', transaction: row.transaction ?? row.nonce, block: 1 };",
    ],
  ]),
  mutant('refused payments are not met again', 'facilitator-fresh-payments', 'invariant paid again', [
    [
      simulated('ledger'),
      "if (row.status === 'refused') return !claim.checkedRefusals.includes(row.id);",
      "if (row.status === 'refused') return false;",
    ],
  ]),
  mutant('released payments are not met again', 'facilitator-fresh-payments', 'invariant paid again', [
    [
      simulated('ledger'),
      "if (row.status === 'denied') return false;",
      "if (row.status === 'denied' || row.status === 'released') return false;",
    ],
  ]),
  mutant('what was given up is reopened without a look at the chain', 'facilitator-same-header', 'invariant told no', [
    [
      payment('flow/existing'),
      '  const { deps } = context;\n  const result = await firstVerdict(row, context);',
      `  const { deps } = context;
  const result = { kind: 'open', failed: false } as never as Awaited<ReturnType<typeof firstVerdict>>;`,
    ],
  ]),
  mutant('a block is final at once', 'young-blocks', 'invariant ledger', [
    [
      payment('ledger/evidence'),
      'const final = head !== null && spending.block <= head.finalNumber;',
      'const final = head !== null;',
    ],
  ]),
  mutant('settled for a client that has gone', 'one-payer-same-header', 'invariant nobody waits', [
    [
      payment('flow/execution'),
      "Outcome | null {\n  if (purchase.clientSignal.aborted) return { kind: 'gone' };\n",
      'Outcome | null {\n',
    ],
  ]),
  mutant(
    'a row is made although the authorization is spent or the purse is empty',
    'money-for-one',
    'invariant barred',
    [[simulated('ledger'), 'return claim.mayOpen ?', 'return claim.mayOpen || true ?']],
  ),
  mutant('a void row ends before that is final', 'one-payer-same-header', 'invariant forgotten', [
    [payment('ledger/observe'), "  return final ? 'pruned' : null;", "  return 'pruned';"],
  ]),
  mutant(
    'an expired authorization is void before a final block says so',
    'one-payer-same-header',
    'invariant forgotten',
    [
      [
        payment('ledger/evidence'),
        'final: BigInt(head.finalSeconds) >= authorization.validBefore };',
        'final: true };',
      ],
    ],
  ),
  mutant('a payment that was given up may buy something else', 'strangers', 'invariant unpaid', [
    [
      payment('flow/existing'),
      '!isSamePayment(row, context) || !same)',
      "!isSamePayment(row, context) || (!same && row.status === 'settled'))",
    ],
  ]),
  mutant('a payment is looked for only in blocks after its first look', 'young-blocks', 'step bound', [
    [payment('flow/purchase'), 'onChain.block + 1 - deps.chain.reorgBlocks', 'onChain.block + 1'],
  ]),
];

export const mutants = [...formerDefects, ...inventedDefects, ...mcpDefects];
