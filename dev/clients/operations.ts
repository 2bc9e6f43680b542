import { z } from 'zod';

/** MCP has its own clients. */
const leftOut = 'mcp';

const reference = z.object({ $ref: z.string() });
const parameter = z.object({ name: z.string(), in: z.enum(['path', 'query', 'header']) });
const operation = z.object({
  operationId: z.string(),
  parameters: z.array(z.union([reference, parameter])).default([]),
  requestBody: z.unknown().optional(),
  security: z.array(z.record(z.string(), z.unknown())).optional(),
  responses: z.record(z.string(), z.looseObject({ content: z.record(z.string(), z.looseObject({})).optional() })),
});
const document = z.object({
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});
const mediaType = z.object({ schema: z.looseObject({}) });
const objectSchema = z.object({ required: z.array(z.string()).default([]) });

interface ClientOperation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly access: 'key' | 'payment' | 'none';
  readonly inPath: readonly string[];
  readonly inQuery: readonly string[];
  readonly hasBody: boolean;
  /** The required fields of its answer; null if the answer is text. */
  readonly answer: readonly string[] | null;
  /** The statuses of that answer. Health also has one for a service that is not ready. */
  readonly statuses: readonly number[];
}

export function clientOperations(text: string): readonly ClientOperation[] {
  const { paths, components } = document.parse(JSON.parse(text));
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { operationId }]) => operationId !== leftOut)
      .map(([method, { operationId, parameters, requestBody, security, responses }]): ClientOperation => {
        const own = parameters.flatMap((each) => parameter.safeParse(each).data ?? []);
        const namesIn = (place: 'path' | 'query') => own.filter((each) => each.in === place).map(({ name }) => name);
        return {
          name: operationId,
          method,
          path,
          access: accessOf(own, security),
          inPath: namesIn('path'),
          inQuery: namesIn('query'),
          hasBody: requestBody !== undefined,
          answer: requiredOf(responses[200]?.content ?? {}, components.schemas),
          statuses: statusesOf(responses),
        };
      }),
  );
}

function accessOf(
  parameters: readonly z.output<typeof parameter>[],
  security: readonly object[] | undefined,
): ClientOperation['access'] {
  if (parameters.some(({ name }) => name === 'PAYMENT-SIGNATURE')) return 'payment';
  return security !== undefined && security.length === 0 ? 'none' : 'key';
}

/** 200, and the statuses that have the same JSON. */
function statusesOf(responses: z.output<typeof operation>['responses']) {
  const schemaOf = (status: string) => mediaType.safeParse(responses[status]?.content?.['application/json']).data;
  const whole = JSON.stringify(schemaOf('200')?.schema);
  const same = Object.keys(responses).filter((status) => JSON.stringify(schemaOf(status)?.schema) === whole);
  return whole === undefined ? [200] : same.map(Number);
}

function requiredOf(content: Readonly<Record<string, object>>, schemas: Readonly<Record<string, unknown>>) {
  const json = content['application/json'];
  if (json === undefined) return null;
  const { schema } = mediaType.parse(json);
  const named = reference.safeParse(schema).data?.$ref.split('/').at(-1);
  return objectSchema.parse(named === undefined ? schema : schemas[named]).required;
}
