import { nameSchemas } from '../../../src/http/openapi/name-schemas.ts';

const text = { type: 'string' };
const object = { type: 'object', properties: { name: text } };

/** A document whose one answer has the schema. */
function documentOf(schema: object, schemas: object = {}, operation: object = { operationId: 'find' }) {
  const answer = { 200: { content: { 'application/json': { schema } } } };
  return { paths: { '/a': { get: { ...operation, responses: answer } } }, components: { schemas } };
}

describe('Inline schemas', () => {
  test('of objects become components, named by their title or path', () => {
    const schema = {
      ...object,
      properties: {
        one: object,
        many_more: { type: 'array', items: object },
        maybe: { anyOf: [{ ...object, title: 'Titled' }, { type: 'null' }] },
        free: { type: 'object', additionalProperties: object },
      },
    };
    const named = nameSchemas({ ...documentOf({ type: 'array', items: object }), schemas: { Root: schema } });
    expect(Object.keys(named.schemas)).toEqual([
      'RootOne',
      'RootManyMoreItem',
      'Titled',
      'RootFreeValue',
      'Root',
      'FindItem',
    ]);
    expect(named.schemas.Root).toEqual({
      ...object,
      properties: {
        one: { $ref: '#/components/schemas/RootOne' },
        many_more: { type: 'array', items: { $ref: '#/components/schemas/RootManyMoreItem' } },
        maybe: { anyOf: [{ $ref: '#/components/schemas/Titled' }, { type: 'null' }] },
        free: { type: 'object', additionalProperties: { $ref: '#/components/schemas/RootFreeValue' } },
      },
    });
  });

  test('of string enums in a union become components', () => {
    const order = { anyOf: [{ type: 'string', enum: ['up', 'down'] }, { type: 'null' }] };
    const { schemas } = nameSchemas({ paths: {}, schemas: { List: { ...object, properties: { order } } } });
    expect(schemas.ListOrder).toMatchObject({ type: 'string', enum: ['up', 'down'] });
  });

  test('with equal content become one component, and with different content are refused', () => {
    const titled = { ...object, title: 'Same' };
    const { schemas } = nameSchemas({ paths: {}, schemas: { A: { anyOf: [titled, titled] } } });
    expect(Object.keys(schemas)).toEqual(['Same', 'A']);
    const other = { ...titled, properties: {} };
    expect(() => nameSchemas({ paths: {}, schemas: { A: { anyOf: [titled, other] } } })).toThrow(/Same: give one/);
  });

  test('keep their examples unchanged', () => {
    const content = { schema: text, example: { schema: object }, examples: { a: { value: { schema: object } } } };
    const paths = { '/a': { get: { operationId: 'find', responses: { 200: { content } } } } };
    expect(nameSchemas({ paths, schemas: {} })).toEqual({ paths, schemas: {} });
  });
});
