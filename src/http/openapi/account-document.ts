import { version } from '../../lib/service-description.ts';
import type { Json } from '../../lib/wire-schema.ts';
import type { Endpoint, Installation } from '../endpoint.ts';
import { accountTags } from './account-operation.ts';
import { accountComponents, components, errorAnswer } from './components.ts';
import { pathsOf } from './document.ts';
import { headerComponents } from './headers.ts';
import { schemaRef } from './responses.ts';
import { toComponents } from './to-schema.ts';

const description = `The API of the account page, for programs on pages of the same origin. Other programs use a key and
[the API](/docs).

- **Sessions**: signing in sets a cookie that scripts can't read. It is valid only for these addresses.
- **Changes** (POST, DELETE) are accepted only from pages of this service: \`Origin\` must be its own.
- **Errors** have the same form as those of the API: \`error\`, \`code\`, \`details\`.`;

/** The OpenAPI 3.1 document of the account's endpoints. */
export function accountDocument(endpoints: readonly Endpoint[], installation: Installation): Json {
  const paths = pathsOf(endpoints, installation);
  const schemas: Json = { ...toComponents(components), ...toComponents(accountComponents) };
  // Addresses that do not exist answer with the general form of errors.
  const used = referredSchemas({ paths, elsewhere: schemaRef(errorAnswer) }, schemas);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Entity Search account',
      version,
      description,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: accountTags.map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name))),
      headers: {
        ...headerComponents,
        'X-Request-Cost': {
          description: 'Cost of the request in calls of the plan. Absent for visitors.',
          schema: headerComponents['X-Request-Cost'].schema,
        },
      },
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

const refStart = '#/components/schemas/';

/** Returns the names of the schemas that a part of the document refers to, directly or indirectly. */
function referredSchemas(part: unknown, schemas: Json, found = new Set<string>()): ReadonlySet<string> {
  if (typeof part !== 'object' || part === null) return found;
  for (const value of Object.values(part)) {
    if (typeof value === 'string' && value.startsWith(refStart)) {
      const name = value.slice(refStart.length);
      if (found.has(name)) continue;
      found.add(name);
      referredSchemas(schemas[name], schemas, found);
    } else referredSchemas(value, schemas, found);
  }
  return found;
}
