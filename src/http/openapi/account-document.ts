import { version } from '../../lib/service-description.ts';
import type { Json } from '../../lib/wire-schema.ts';
import type { Endpoint, Installation } from '../endpoint.ts';
import { accountComponents, components } from './components.ts';
import { pathsOf, tagList } from './document.ts';
import { headerComponents } from './headers.ts';
import { toComponents } from './to-schema.ts';

const description = `The API of the account page, for programs on pages of the same origin. Other programs use a key and
[the API](/docs).

- **Sessions**: signing in sets a cookie that scripts can't read. It is valid only for these addresses.
- **Changes** (POST, DELETE) are accepted only from pages of this service: \`Origin\` must be its own.
- **Errors** have the same form as those of the API: \`error\`, \`code\`, \`details\`.`;

/** Tags and their descriptions in the order of the document. */
export const accountTags = {
  Account: 'Signing in and out, wallets, passkeys, sessions and events.',
  Keys: 'API keys of the account.',
  Usage: 'Calls of the account.',
  Payments: "Searches that the account's wallets have paid for.",
  Search: 'Search without a key, for the pages.',
  Operator: 'Other accounts, plans and indices, for operators.',
  Documentation: 'This document.',
} as const;
export type AccountTag = keyof typeof accountTags;
export const accountTagNames = Object.keys(accountTags) as readonly AccountTag[];

/** The OpenAPI 3.1 document of the account's endpoints. */
export function accountDocument(endpoints: readonly Endpoint[], installation: Installation): Json {
  const paths = pathsOf(endpoints, installation);
  const all = {
    schemas: { ...toComponents(components), ...toComponents(accountComponents) },
    headers: {
      ...headerComponents,
      'X-Request-Cost': {
        description: 'Cost of the request in calls of the plan. Absent for visitors.',
        schema: headerComponents['X-Request-Cost'].schema,
      },
    },
  };
  const used = references(paths, all);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Entity Search account',
      version,
      description,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: tagList(accountTags),
    paths,
    components: {
      schemas: onlyUsed('schemas', all.schemas, used),
      headers: onlyUsed('headers', all.headers, used),
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-entity_search_session',
          description: 'Set by signing in. Over http, which only works on the same machine, it has no `__Host-`.',
        },
      },
    },
  };
}

const refStart = '#/components/';

/** Returns the references in a part of the document, direct and indirect, such as `schemas/Error`. */
function references(
  part: unknown,
  components: Readonly<Record<'schemas' | 'headers', Json>>,
  found = new Set<string>(),
): ReadonlySet<string> {
  if (typeof part !== 'object' || part === null) return found;
  for (const value of Object.values(part)) {
    if (typeof value === 'string' && value.startsWith(refStart)) {
      const [kind, name = ''] = value.slice(refStart.length).split('/');
      if (found.has(`${kind}/${name}`)) continue;
      found.add(`${kind}/${name}`);
      references(kind === 'headers' ? components.headers[name] : components.schemas[name], components, found);
    } else references(value, components, found);
  }
  return found;
}

function onlyUsed(kind: 'schemas' | 'headers', all: Json, used: ReadonlySet<string>): Json {
  return Object.fromEntries(Object.entries(all).filter(([name]) => used.has(`${kind}/${name}`)));
}
