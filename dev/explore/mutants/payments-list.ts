import { mutant, type PaymentMutant, payment, simulated } from './mutant.ts';
import { mcpDefects } from './payments-mcp.ts';

/** Defects that were once in this code. */
const formerDefects: readonly PaymentMutant[] = [
  mutant("the facilitator's refusal is believed", 'facilitator-same-header', 1, 'invariant told no', [
    [
      payment('flow/settlement'),
      '  const requested = {',
      "  if (reply.kind === 'answered' && !reply.answer.success) return { kind: 'not-sent' };\n  const requested = {",
    ],
  ]),
  mutant("the facilitator's success is believed", 'facilitator-same-header', 1, 'invariant unpaid', [
    [
      payment('flow/settlement'),
      'verdict: await watchChain(requested, context, isDecided) };',
      `verdict:
      reply.kind === 'answered' && reply.answer.success && named !== null
        ? { kind: 'landed', transaction: named, block: 1, final: false }
        : await watchChain(requested, context, isDecided),
  };`,
    ],
  ]),
  mutant('status 429 on settlement means not sent', 'facilitator-same-header', 1, 'invariant told no', [
    [
      'src/x402/facilitator.ts',
      '    const answer = schema.safeParse(parseJson(reply.text));',
      `    if (reply.status === 429) return { kind: 'not-sent', cause: null };
    const answer = schema.safeParse(parseJson(reply.text));`,
    ],
  ]),
  mutant('any transfer of the transaction counts', 'payer-who-batches', 2, 'invariant unpaid', [
    [
      payment('ledger/evidence'),
      '  const next = events[at + 1];',
      "  const next = events.find((event) => event.kind === 'transfer' && event.to === row.payTo) ?? events[at + 1];",
    ],
  ]),
  mutant('a row is judged by the recipient of today', 'another-recipient', 2, 'invariant', [
    [
      payment('flow/settlement'),
      'await readVerdict(chain, row)',
      'await readVerdict(chain, { ...row, payTo: terms.payTo })',
    ],
    [payment('flow/settlement'), '{ chain, log }: PurchaseDeps', '{ chain, log, terms }: PurchaseDeps'],
  ]),
  mutant('the facilitator is told the terms of today', 'another-recipient', 1, 'invariant terms', [
    [
      payment('flow/settlement'),
      'payTo: getAddress(row.payTo), amount: row.amount, maxTimeoutSeconds };',
      'payTo: terms.payTo, amount: row.amount, maxTimeoutSeconds };',
    ],
  ]),
  mutant('terms are checked before the row is looked up', 'another-recipient', 1, 'invariant told no', [
    [
      payment('flow/purchase'),
      "return known ? { kind: 'admitted', ...admission, refusal } : refused(refusal.code, refusal.message);",
      'return refused(refusal.code, refusal.message);',
    ],
  ]),
  mutant('a payment is refused after its row was lost', 'lost-rows-another-recipient', 2, 'invariant charged twice', [
    [payment('flow/purchase'), ' && known === null && context.hadRow)', ' && known === null && false)'],
  ]),
  mutant('the observer looks in the order of ids', 'undecidable-neighbours', 0, 'step bound', [
    [simulated('ledger'), '.sort((a, b) => a.looked - b.looked || a.id - b.id)', '.sort((a, b) => a.id - b.id)'],
  ]),
  mutant('a used authorization without a row buys nothing', 'lost-rows', 2, 'invariant', [
    [simulated('ledger'), '    if (!onChain.spent && onChain.balance < reserved', '    if (onChain.balance < reserved'],
  ]),
  mutant('a use without a log counts as one of something else', 'lagging-logs', 1, 'invariant', [
    [
      payment('ledger/evidence'),
      "  return { kind: 'wait' };\n}\n\n/** Reads the logs",
      "  return { kind: 'void', why: 'spent_elsewhere' };\n}\n\n/** Reads the logs",
    ],
  ]),
];

/**
 * Two checks have no mutant, because no promise of these worlds needs them alone: a change compares the lease's holder,
 * and two purchases of the same search can't be open at once. The status is compared as well, claims are decided one
 * after another, and the token accepts an authorization once. payments-ledger-model.test.ts tests both checks.
 */
const inventedDefects: readonly PaymentMutant[] = [
  mutant('the intent is stored while the settlement is under way', 'one-payer-same-header', 0, 'invariant no intent', [
    [
      payment('flow/execution'),
      "const written = await transition(row, 'intended', deps, { body, leaseMs: deps.limits.leaseMs });",
      `const written: string = 'stored later';
  void transition(row, 'intended', deps, { body, leaseMs: deps.limits.leaseMs });`,
    ],
  ]),
  mutant('released payments are not met again', 'facilitator-fresh-payments', 2, 'invariant', [
    [
      simulated('ledger'),
      "    if (row.status !== 'settled') return true;",
      "    if (row.status === 'released') return false;\n    if (row.status !== 'settled') return true;",
    ],
  ]),
  mutant('what was given up is resumed without a look at the chain', 'facilitator-same-header', 2, 'step bound', [
    [
      payment('flow/execution'),
      '  const verdict = await firstVerdict(row, context);\n  if (verdict.kind !==',
      "  const verdict = { kind: 'open' } as Verdict;\n  if (verdict.kind !==",
    ],
  ]),
  mutant('a block is final at once', 'young-blocks', 1, 'invariant ledger', [
    [payment('ledger/evidence'), '  const final = block <= finalBlock;', '  const final = block <= finalBlock + 99;'],
  ]),
  mutant('settled for a client that has gone', 'one-payer-same-header', 1, 'invariant nobody waits', [
    [
      payment('flow/execution'),
      "Outcome | null {\n  if (purchase.clientSignal.aborted) return { kind: 'gone' };\n",
      'Outcome | null {\n',
    ],
    [
      payment('flow/settlement'),
      'if (purchase.clientSignal.aborted || purchase.shutdownSignal.aborted) return false;',
      'if (purchase.shutdownSignal.aborted) return false;',
    ],
  ]),
  mutant('a row is made although the purse is empty', 'money-for-one', 0, 'invariant barred', [
    [simulated('ledger'), 'onChain.balance < reserved', 'onChain.balance < 0n && reserved'],
  ]),
  mutant(
    'an expired authorization is void before a final block says so',
    'one-payer-same-header',
    1,
    'invariant forgotten',
    [
      [
        payment('ledger/evidence'),
        "{ kind: 'void', why: 'expired' } : { kind: 'wait' };",
        "{ kind: 'void', why: 'expired' } : { kind: 'void', why: 'expired' };",
      ],
    ],
  ),
  mutant('a payment that was given up may buy something else', 'strangers', 3, 'invariant unpaid', [
    [
      payment('flow/existing'),
      '|| row.requestHash !== context.requestHash)',
      "|| (row.requestHash !== context.requestHash && row.status === 'settled'))",
    ],
  ]),
  mutant('a payment is looked for only in blocks after its first look', 'young-blocks', 1, 'step bound', [
    [payment('flow/purchase'), 'head.number + 1 - chain.reorgBlocks', 'head.number + 1'],
  ]),
];

export const mutants = [...formerDefects, ...inventedDefects, ...mcpDefects];
