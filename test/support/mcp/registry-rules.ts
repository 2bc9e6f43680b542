import { z } from 'zod';

// The rules of the MCP registry's schema of 2025-12-11 and its publishing rules for the parts of our server.json;
// other parts are forbidden.

const input = z.strictObject({
  description: z.string().min(1),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  default: z.string().optional(),
});
const keyValue = input.extend({
  name: z.string().min(1),
  value: z.string().optional(),
  variables: z.record(z.string(), input).optional(),
});

/** Exactly the variables in braces are described. */
function explained({
  text,
  variables = {},
}: {
  text: string;
  variables?: Readonly<Record<string, unknown>> | undefined;
}) {
  const used = [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return JSON.stringify(used) === JSON.stringify(Object.keys(variables));
}

const header = keyValue.refine(({ value = '', variables }) => explained({ text: value, variables }));
const remote = z
  .strictObject({
    type: z.enum(['streamable-http', 'sse']),
    url: z.string().regex(/^https?:\/\/\S+$/),
    headers: z.array(header).optional(),
    variables: z.record(z.string(), input).optional(),
  })
  .refine(({ url, variables }) => explained({ text: url, variables }));

export const serverJsonRules = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z
    .string()
    .max(255)
    .regex(/^\d+\.\d+\.\d+$/),
  websiteUrl: z.url().optional(),
  remotes: z.array(remote).min(1),
  packages: z
    .array(
      z.strictObject({
        registryType: z.literal('npm'),
        identifier: z.string().min(1),
        version: z.string().regex(/^\d+\.\d+\.\d+$/),
        runtimeHint: z.literal('npx'),
        transport: z.strictObject({ type: z.literal('stdio') }),
        environmentVariables: z.array(keyValue),
      }),
    )
    .optional(),
});
