import { type Edit, type Mutant, payment, simulated } from './mutant.ts';

const deleteOnRefusal: Edit = {
  file: payment('ledger/states'),
  find: `  unknown: {
`,
  replace: `  unknown: {
    refused: 'absent',
`,
};
const keepOnRefusal: Edit = { ...deleteOnRefusal, replace: deleteOnRefusal.replace.replace('absent', 'refused') };
const laterNo: Edit = {
  file: payment('flow/settlement'),
  find: `  if (row.status !== 'settling') return searchChain(row, context);
  const verdict`,
  replace: '  const verdict',
};

/** Defects that were once in this code. */
export const formerDefects: readonly Mutant[] = [
  {
    name: 'a no after a vague answer is believed, and the row goes',
    edits: [deleteOnRefusal, laterNo],
    scenario: 'facilitator-same-header',
    found: 'invariant forgotten',
  },
  {
    name: 'a no after a vague answer is believed',
    edits: [keepOnRefusal, laterNo],
    scenario: 'facilitator-same-header',
    found: 'invariant told no',
  },
  {
    name: 'a vague answer is followed by another settlement before the row says unknown',
    edits: [
      {
        file: payment('flow/execution'),
        find: "  const unknown: OpenPayment = { ...row, status: 'unknown', transaction };\n  if (row.status === 'settling') {",
        replace: '  const unknown: OpenPayment = row;\n  if (false) {',
      },
    ],
    scenario: 'facilitator-same-header',
    found: 'invariant told no',
  },
  {
    name: 'status 429 on settlement means not sent',
    edits: [
      {
        file: 'src/x402/facilitator.ts',
        find: '    const answer = schema.safeParse(parseJson(reply.text));',
        replace: `    if (reply.status === 429) return { kind: 'not-sent', cause: null };
    const answer = schema.safeParse(parseJson(reply.text));`,
      },
    ],
    scenario: 'facilitator-same-header',
    found: 'invariant told no',
  },
  {
    name: 'any transfer of the transaction counts',
    edits: [
      {
        file: payment('ledger/evidence'),
        find: 'isOwnTransfer(events[at + 1], row)',
        replace: 'events.some((event) => isOwnTransfer(event, row))',
      },
    ],
    scenario: 'payer-who-batches',
    found: 'invariant unpaid',
  },
  {
    name: 'a row is judged by the recipient of today',
    edits: [
      {
        file: payment('flow/settlement'),
        find: 'findEvidence(deps.chain, row, { finality: false })',
        replace: 'findEvidence(deps.chain, { ...row, payTo: deps.terms.payTo }, { finality: false })',
      },
    ],
    scenario: 'another-recipient',
    found: 'invariant told no',
  },
  {
    name: 'the facilitator is told the terms of today',
    edits: [
      {
        file: payment('flow/settlement'),
        find: 'payTo: getAddress(row.payTo), amount: row.amount, maxTimeoutSeconds };',
        replace: 'payTo: terms.payTo, amount: row.amount, maxTimeoutSeconds };',
      },
    ],
    scenario: 'another-recipient',
    found: 'invariant terms',
  },
  {
    name: 'terms are checked before the row is looked up',
    edits: [
      {
        file: payment('flow/purchase'),
        find: "return known ? { kind: 'admitted', ...admission } : refused(refusal.code, refusal.message);",
        replace: 'return refused(refusal.code, refusal.message);',
      },
    ],
    scenario: 'another-recipient',
    found: 'invariant told no',
  },
  {
    name: 'the observer looks in the order of ids',
    edits: [
      {
        file: simulated('ledger'),
        find: '.sort((a, b) => a.looked - b.looked || a.id - b.id)',
        replace: '.sort((a, b) => a.id - b.id)',
      },
    ],
    scenario: 'undecidable-neighbours',
    found: 'step bound',
  },
  {
    name: 'delivery is noted on settled rows only',
    edits: [
      {
        file: simulated('ledger'),
        find: `    if (row === undefined) return;
    row.updatedAtMs`,
        replace: `    if (row?.status !== 'settled') return;
    row.updatedAtMs`,
      },
    ],
    scenario: 'one-payer-same-header',
    found: 'invariant delivery',
  },
];
