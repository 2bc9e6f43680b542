import { listKinds } from '../../kinds/kind.ts';
import { paidToolName } from '../../payments/protocol/mcp-discovery.ts';
import { paidToolLimitMax } from '../../payments/protocol/paid-search.ts';
import type { Endpoint, Installation } from '../endpoint.ts';
import { tools } from '../mcp/tools/tools.ts';

const toolNames = tools.map(({ name }) => `\`${name}\``).join(', ');

/**
 * Returns llms.txt: instructions for language models in Markdown.
 * @param baseUrl address of the service without a slash at its end
 */
export function llmsText(endpoints: readonly Endpoint[], installation: Installation, baseUrl: string): string {
  return textOf(endpoints, installation).replace(/(`(?:GET |POST )?|\]\()\/(?=\w|\.)/g, `$1${baseUrl}/`);
}

/** Returns the text with paths in place of addresses. */
function textOf(endpoints: readonly Endpoint[], { priceUsd, sold, accountPage }: Installation): string {
  return `# Entity Search

> Search over ${listKinds('and')}. Use it with an API key, or pay per request without an
> account. All answers are JSON.

- [OpenAPI 3.1](/openapi.json), the machine-readable description
- [Documentation](/docs) for people, with requests to try
- MCP tools (Model Context Protocol, Streamable HTTP): \`/mcp\`

## With an API key

Send \`Authorization: Bearer <API_KEY>\`. ${accountPage ? 'People create one at `/account/keys`.' : 'The operator of this service issues keys.'}

${keyedLines(endpoints)}

Every answer has its cost in \`X-Request-Cost\` and the calls left in \`X-RateLimit-Remaining\`. After 429 wait
\`Retry-After\` seconds.

## Paid per request, without a key

${sold ? '' : 'Not offered by this installation: the answer is 404 with code paid_search_off, and retrying does not help.\n\n'}\`GET /api/v1/x402/search?q=...&type=all&limit=10\`: companies, people and investors; \`limit\` at most 50. Costs ${priceUsd} USD in USDC
per request, by the x402 protocol, version 2. Do not send an API key.

1. Send the request without a payment: the answer is 402, with the accepted payments in its body and, as base64 of JSON, in
   the header \`PAYMENT-REQUIRED\`.
2. Sign an EIP-3009 transferWithAuthorization over that amount and repeat the same request with \`PAYMENT-SIGNATURE\` (x402
   client libraries do this).
3. The answer is 200 with \`data\`, \`meta\` and the receipt in \`PAYMENT-RESPONSE\`.

Rules about money: wrong parameters are 400 before any payment. Errors are free. An answer without results is charged.
\`page\` is only echoed: page 2 costs the same for the same results. After a 503 repeat the same request with the same
\`PAYMENT-SIGNATURE\`: a payment is never charged twice. Sign a new payment only after a 402.

## As MCP tools

\`POST /mcp\` is a stateless MCP server: the tools ${toolNames} give the same answers as the requests above. Send the key as
\`Authorization: Bearer <API_KEY>\`. ${
    sold
      ? `Without a key, \`${paidToolName}\` (\`query\`, \`kind\`, \`limit\` up to ${paidToolLimitMax}) costs ${priceUsd} USD per call: its result
is an error whose structured content has the accepted payments; call again with the payment in \`_meta["x402/payment"]\`.
The receipt is in \`_meta["x402/payment-response"]\`. Lists of tools are free.`
      : 'Lists of tools are free without one.'
  } Desktop clients start \`npx entity-search-mcp\`.

## Errors

\`{"error": "<the problem and the next step>", "code": "<for programs>", "details": [{"path", "message"}]}\`; 400 names every
wrong parameter at once. 401: the key is missing or not valid. 500 and 503: try again later. Quote the header
\`X-Request-Id\` when asking for help.

## Health

\`GET /api/health\`: no key; 200 if the service works.
`;
}

/** Returns a line for each endpoint with a key. The endpoints of all kinds share one. */
function keyedLines(endpoints: readonly Endpoint[]): string {
  return [...new Set(endpoints.flatMap(({ llms }) => llms ?? []))].map((line) => `- ${line}`).join('\n');
}
