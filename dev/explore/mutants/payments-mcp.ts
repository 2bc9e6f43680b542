import type { Mutant } from './mutant.ts';

const call = 'src/http/mcp/paid-call.ts';
const purchased = 'await deps.purchase({ header, request, clientSignal, search: presentable });';

/** Defects of what only the MCP server does with payments. */
export const mcpDefects: readonly Mutant[] = [
  {
    name: 'a call whose search has failed is charged all the same',
    edits: [
      {
        file: call,
        find: purchased,
        replace: `await deps.purchase({ header, request, clientSignal, search: async () => {
    const found = await presentable();
    return found.ok ? found : { ok: true, data: { companies: [], people: [], investors: [] } };
  } });`,
      },
    ],
    scenario: 'mcp-one-payer-same-header',
    found: 'invariant for an error',
  },
  {
    name: 'a receipt is given while the settlement is not known',
    edits: [
      {
        file: call,
        find: "    case 'gone':",
        replace: `    case 'unknown': {
      const receipt = { success: true, transaction: '0x0', network: '', payer: '' };
      return {
        kind: 'gone',
        result: { isError: true, content: [], _meta: { [receiptKey]: receipt } },
        done: nothingToNote,
      };
    }
    case 'gone':`,
      },
    ],
    scenario: 'mcp-facilitator-same-header',
    found: 'invariant receipt',
  },
  {
    name: 'an unknown outcome is answered with an offer',
    edits: [
      {
        file: call,
        find: "    case 'gone':",
        replace: `    case 'unknown': {
      const result = paymentRequiredResult(deps.offer('settlement_unknown', 'Pay again.'));
      return { kind: 'refused', result, done: nothingToNote };
    }
    case 'gone':`,
      },
    ],
    scenario: 'mcp-facilitator-fresh-payments',
    found: 'invariant told no',
  },
  {
    name: 'every call of the tool is a purchase of its own',
    edits: [
      {
        file: call,
        find: purchased,
        replace: `await deps.purchase({ header, request: { ...request, page: callOf(header) }, clientSignal, search: presentable });`,
      },
      {
        file: call,
        find: 'const nothingToNote',
        replace: `const callOf = (header: string): number =>
  Number(/"nonce":"0x0*[a-f](\\d+)/.exec(Buffer.from(header, 'base64').toString('utf8'))?.[1]);
const nothingToNote`,
      },
    ],
    scenario: 'mcp-facilitator-fresh-payments',
    found: 'invariant paid again',
  },
  {
    name: 'a call that was given up is settled',
    edits: [
      {
        file: call,
        find: purchased,
        replace:
          'await deps.purchase({ header, request, clientSignal: new AbortController().signal, search: presentable });',
      },
    ],
    scenario: 'mcp-one-payer-same-header',
    found: 'invariant nobody waits',
  },
  {
    name: 'that a result has left is not noted',
    edits: [{ file: call, find: 'done: outcome.done };', replace: 'done: nothingToNote };' }],
    scenario: 'mcp-one-payer-same-header',
    found: 'invariant delivery',
  },
  {
    name: 'a search is another purchase by MCP than by HTTP',
    edits: [
      {
        file: call,
        find: purchased,
        replace:
          'await deps.purchase({ header, request: { ...request, page: 2 }, clientSignal, search: presentable });',
      },
    ],
    scenario: 'both-entrances-same-payment',
    found: 'invariant told no',
  },
];
