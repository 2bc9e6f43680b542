import { mutant, type PaymentMutant } from './mutant.ts';

const call = 'src/http/mcp/paid-call.ts';
const purchased = 'await deps.purchase(call);';

/** Defects in the part of the MCP server that handles payments. */
export const mcpDefects: readonly PaymentMutant[] = [
  mutant(
    'a call whose search has failed is charged all the same',
    'mcp-one-payer-same-header',
    1,
    'invariant for an error',
    [
      [
        call,
        purchased,
        `await deps.purchase({ ...call, search: async () => {
    const found = await call.search();
    return found.ok ? found : { ok: true, data: { companies: [], people: [], investors: [] } };
  } });`,
      ],
    ],
  ),
  mutant(
    'a receipt is given while the settlement is not known',
    'mcp-facilitator-same-header',
    1,
    'invariant receipt',
    [
      [
        call,
        "    case 'gone':",
        `    case 'unknown': {
      const receipt = { success: true, transaction: '0x0', network: '', payer: '' };
      return {
        result: { isError: true, content: [], _meta: { [receiptKey]: receipt } },
        done: nothingToNote,
      };
    }
    case 'gone':`,
      ],
    ],
  ),
  mutant('an unknown outcome is answered with an offer', 'mcp-facilitator-fresh-payments', 2, 'invariant told no', [
    [
      call,
      "    case 'gone':",
      `    case 'unknown': {
      const result = paymentRequiredResult(deps.offer('settlement_unknown', 'Pay again.'));
      return { result, done: nothingToNote };
    }
    case 'gone':`,
    ],
  ]),
  mutant('every call of the tool is a purchase of its own', 'mcp-facilitator-fresh-payments', 2, 'invariant', [
    [call, purchased, 'await deps.purchase({ ...call, request: { ...call.request, page: callOf(call.header) } });'],
    [
      call,
      'const nothingToNote',
      `const callOf = (header: string): number =>
  Number(/"nonce":"0x0*[a-f](\\d+)/.exec(Buffer.from(header, 'base64').toString('utf8'))?.[1]);
const nothingToNote`,
    ],
  ]),
  mutant('a call that was given up is settled', 'mcp-one-payer-same-header', 1, 'invariant nobody waits', [
    [call, purchased, 'await deps.purchase({ ...call, clientSignal: new AbortController().signal });'],
  ]),
  mutant('that a result has left is not noted', 'mcp-facilitator-same-header', 0, 'invariant delivery', [
    [call, 'done: outcome.done };', 'done: nothingToNote };'],
  ]),
  mutant('a search is another purchase by MCP than by HTTP', 'both-entrances-same-payment', 1, 'invariant told no', [
    [call, purchased, 'await deps.purchase({ ...call, request: { ...call.request, page: 2 } });'],
  ]),
];
