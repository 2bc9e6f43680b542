import { listKinds } from '../../kinds/kind.ts';
import { paidToolName } from '../../payments/protocol/mcp-discovery.ts';
import { paidToolLimitMax } from '../../payments/protocol/paid-search.ts';
import type { Endpoint, Installation } from '../endpoint.ts';
import { tools } from '../mcp/tools/tools.ts';

const toolNames = tools.map(({ name }) => `\`${name}\``).join(', ');

/**
 * What a language model needs to use the API: which of the two ways in to take, how to ask, and what an answer or an
 * error means. Markdown, as llms.txt is.
 */
export function llmsText(endpoints: readonly Endpoint[], { priceUsd, sold, accountPage }: Installation): string {
  return `# Entity Search

> Search over ${listKinds('and')}. Two independent ways in: with an API key, or paid per request
> without an account. All answers are JSON.

- Machine-readable description (OpenAPI 3.1): /openapi.json
- For people, requests can be tried: /docs
- As MCP tools (Model Context Protocol, Streamable HTTP): /mcp; described in /.well-known/mcp

## With an API key

Send \`Authorization: Bearer <API_KEY>\`. ${accountPage ? 'People make one at /account/keys.' : 'The operator of this service has them.'}

${keyedLines(endpoints)}

Every answer says its cost in \`X-Request-Cost\` and what is left in \`X-RateLimit-Remaining\`. After 429 wait \`Retry-After\`
seconds.

## Paid per request, without a key

${sold ? '' : 'Not offered by this installation at the moment: the answer is 404 with code paid_search_off, and repeating it changes nothing.\n\n'}\`GET /api/v1/x402/search?q=...&type=all&limit=10\`: companies, people and investors; \`limit\` at most 50. Costs ${priceUsd} USD in USDC
per request, by the x402 protocol, version 2. Do not send an API key.

1. Ask without a payment: the answer is 402; its body, and the header \`PAYMENT-REQUIRED\` as base64 of JSON, say what to pay.
2. Sign an EIP-3009 transferWithAuthorization over that amount and repeat the same request with \`PAYMENT-SIGNATURE\` (x402
   client libraries do this).
3. The answer is 200 with \`data\`, \`meta\` and the receipt in \`PAYMENT-RESPONSE\`.

Rules about money: wrong parameters are 400 before any payment. Nothing is charged for an error. An answer without
results is charged. \`page\` is only echoed: page 2 costs the same for the same results. After a 503 repeat the same request
with the same \`PAYMENT-SIGNATURE\`: a payment is never taken twice. Sign a new payment only after a 402.

## As MCP tools

\`POST /mcp\` is a stateless MCP server: the tools ${toolNames} answer what the requests above answer. Send the key as
\`Authorization: Bearer <API_KEY>\`. ${
    sold
      ? `Without a key, \`${paidToolName}\` (\`query\`, \`kind\`, \`limit\` up to ${paidToolLimitMax}) costs ${priceUsd} USD a call: its result
is an error whose structured content says what to pay; call again with the payment in \`_meta["x402/payment"]\`. The receipt is
in \`_meta["x402/payment-response"]\`. Lists of tools are free.`
      : 'Lists of tools are free without one.'
  } Desktop clients start \`npx entity-search-mcp\`.

## Errors

\`{"error": "<a sentence that says what to do>", "code": "<for programs>", "details": [{"path", "message"}]}\`; 400 names every
wrong parameter at once. 401: the key is missing or not valid. 500 and 503: try again later. Name the header
\`X-Request-Id\` when asking for help.

## Health

\`GET /api/health\`: no key; 200 when the service can serve.
`;
}

/** A line for each endpoint with a key; those of the kinds' records share one. */
function keyedLines(endpoints: readonly Endpoint[]): string {
  return [...new Set(endpoints.flatMap(({ llms }) => llms ?? []))].map((line) => `- ${line}`).join('\n');
}
