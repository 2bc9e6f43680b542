import { listKinds } from '../../kinds/kind.ts';
import { serviceDescription } from '../../lib/service-description.ts';
import type { Json } from '../../lib/wire-schema.ts';
import type { Endpoint, Gate, Installation } from '../endpoint.ts';
import type { ErrorCode } from '../errors/codes.ts';
import { quotaHeaderNames } from '../response/quota-headers.ts';
import { components } from './components.ts';
import { errorCodesOf, errorResponses } from './error-responses.ts';
import { headerComponents, headerRefs } from './headers.ts';
import { nameSchemas } from './name-schemas.ts';
import { toComponents } from './to-schema.ts';

const description = `Search over ${listKinds('and')}.

- **Keys**: \`Authorization: Bearer <API_KEY>\`. Paid search takes no key.
- **Errors** all have the same form: \`error\` is a sentence with the problem and the next step, \`code\` is stable and for
  programs, \`details\` lists all problems with the parameters. Every answer has \`X-Request-Id\`.
- **Limits** belong to the plan and are shared by an account's keys. \`X-Request-Cost\` is the cost of a request,
  \`RateLimit\` and \`X-RateLimit-*\` show the calls left; 429 comes with \`Retry-After\` and is free.
- **Names**: \`q\` is an alias of \`query\` everywhere, and \`-tag\` of \`not_tag\`. Unknown parameters are errors.
- **Changes**: answers may get more fields at any time. Anything that will be removed is \`deprecated\` here for at least
  180 days before.
- **Methods**: every address with GET also answers HEAD, except the paid search, and every address answers OPTIONS. Other
  methods are 405 with \`Allow\`, unknown addresses 404.
- Answers are compressed (br, gzip) if the caller accepts it.`;

/** Tags and their descriptions in the order of the document. */
const tags = {
  Search: 'Search by words, by the beginning of a name, and by similarity.',
  Records: 'Entities by id or slug, and removed entities.',
  Account: 'Limits and usage of a key.',
  'Paid search': 'Search without a key, paid per request by x402.',
  MCP: 'The same as tools for models.',
  Health: 'State of the service.',
  Documentation: 'This document in several forms.',
} as const;

/**
 * Returns a function that creates the OpenAPI 3.1 document for an address of the service, without a slash at its end.
 */
export function openApiDocument(endpoints: readonly Endpoint[], installation: Installation): (baseUrl: string) => Json {
  const { paths, schemas } = nameSchemas({
    paths: pathsOf(endpoints, installation),
    schemas: Object.assign(toComponents(components), ...endpoints.map(({ schemas: own = {} }) => own)),
  });
  const rest = {
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas,
      headers: headerComponents,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: keyText(installation) },
      },
    },
  };
  const info = {
    title: serviceDescription.title,
    summary: serviceDescription.summary,
    version: serviceDescription.version,
    description,
    license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    'x-guidance': guidance(installation),
  };
  return (baseUrl) => ({
    openapi: '3.1.0',
    info,
    servers: [{ url: baseUrl }],
    'x-agentcash-guidance': { llmsTxtUrl: `${baseUrl}/llms.txt` },
    ...rest,
  });
}

/** Returns the document's `paths`: the operations of each path by method. */
function pathsOf(endpoints: readonly Endpoint[], installation: Installation): Json {
  const codes = new Set(endpoints.flatMap((endpoint) => [...errorCodesOf(endpoint)]));
  const byPath = Map.groupBy(endpoints, ({ path }) => path);
  const paths = [...byPath].map(([path, sharing]) => [
    path,
    Object.fromEntries(
      sharing.map((endpoint) => [
        endpoint.method === 'all' ? 'get' : endpoint.method,
        operationOf(endpoint, installation, codes),
      ]),
    ),
  ]);
  return Object.fromEntries(paths);
}

/** @param codes of all errors of the document */
function operationOf(endpoint: Endpoint, installation: Installation, codes: ReadonlySet<ErrorCode>): Json {
  const { tag, content, answered, headers = [], responses, ...rest } = endpoint.operation(installation);
  const usual = endpoint.gates.includes('key') ? quotaHeaderNames : [];
  return {
    ...rest,
    tags: [tag],
    security: securityOf(endpoint.gates),
    responses: {
      ...errorResponses(endpoint, codes),
      200: {
        description: answered ?? 'The answer.',
        headers: headerRefs(['X-Request-Id', ...usual, ...headers]),
        content,
      },
      ...responses,
    },
  };
}

function securityOf(gates: readonly Gate[]): readonly Json[] {
  if (gates.includes('key')) return [{ apiKey: [] }];
  return gates.includes('key if given') ? [{ apiKey: [] }, {}] : [];
}

/** Returns short instructions for agents. */
function guidance({ priceUsd }: Installation): string {
  return `With an API key, GET /api/v1/search finds entities and GET /api/v1/{kind}/{slug} reads one. Without one, GET /api/v1/x402/search costs ${priceUsd} USD per search by x402; it is 404 if searches are not sold. The same as MCP tools: POST /mcp.`;
}

function keyText({ accountPage }: Installation): string {
  return `An API key, such as es_live_… or es_test_…${accountPage ? '. Create one at /account/keys.' : ''}`;
}
