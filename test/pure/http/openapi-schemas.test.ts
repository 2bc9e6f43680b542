import { nameSchemas } from '../../../src/http/openapi/name-schemas.ts';
import { published, publishedAccount } from '../../support/api/published.ts';
import { schemaFaults } from '../../support/api/schema-faults.ts';

const text = { type: 'string' };
const object = { type: 'object', properties: { name: text } };

/** A document whose one answer has the schema. */
function documentOf(schema: object, schemas: object = {}, operation: object = { operationId: 'find' }) {
  const answer = { 200: { content: { 'application/json': { schema } } } };
  return { paths: { '/a': { get: { ...operation, responses: answer } } }, components: { schemas } };
}

test('generators can type every value of the API and give every object a name', () => {
  // The contents of the protocols' own messages and extensions.
  expect(schemaFaults(published())).toEqual([
    'PaymentRequired/extensions/*: has no type',
    'JsonRpcMessage/*: has no type',
  ]);
});

test('routes that only the pages use are typed as well, though their errors have no names of their own', () => {
  const found = schemaFaults(publishedAccount()).filter((fault) => !fault.endsWith('without a name'));
  // The details of an event, and options that the browser itself reads.
  expect(found).toEqual([
    'PostPasskeysChallengeAnswer/data/options/*: has no type',
    'GetEventsAnswer/data/events/items/detail/*: has no type',
  ]);
});

describe('A fault is found', () => {
  const faulty: readonly (readonly [string, object, RegExp])[] = [
    [
      'a union beside a type',
      documentOf({ type: 'array', oneOf: [{ items: text }, { items: text }] }),
      /oneOf beside type/,
    ],
    ['anything', documentOf({}), /has no type/],
    ['a constant without a type', documentOf({ const: 1 }), /has no type/],
    ['an enumeration without a type', documentOf({ type: 'array', items: { enum: ['a'] } }), /items: has no type/],
    ['a list of anything', documentOf({ type: 'array' }), /a list of anything/],
    ['an object of nothing', documentOf({ type: 'object' }), /an object of nothing/],
    ['an object inline', documentOf(object), /without a name/],
    ['an object in a list', documentOf({ type: 'array', items: object }), /without a name/],
    ['an object that may be null', documentOf({ anyOf: [object, { type: 'null' }] }), /without a name/],
    [
      'words that may be null',
      documentOf({ anyOf: [{ ...text, enum: ['a'] }, { type: 'null' }] }),
      /words without a name/,
    ],
    ['an object in an object', documentOf(text, { A: { ...object, properties: { b: object } } }), /A\/b: an object w/],
    ['several types', documentOf({ type: ['string', 'null'] }), /several types/],
    ['the older word for null', documentOf({ ...text, nullable: true }), /nullable/],
    ['null among many', documentOf({ anyOf: [text, { type: 'integer' }, { type: 'null' }] }), /one of many/],
    ['a reference to nothing', documentOf({ $ref: '#/components/schemas/Gone' }), /Gone: is not there/],
    ['a component for nobody', documentOf(text, { A: text }), /A: nothing refers to it/],
    ['a name that is none', documentOf({ $ref: '#/components/schemas/a-b' }, { 'a-b': text }), /keeps this name/],
    ['no operation id', documentOf(text, {}, {}), /undefined is no name/],
    ['an operation id with blanks', documentOf(text, {}, { operationId: 'find it' }), /find it is no name/],
    ['a header for no answer', { ...documentOf(text), components: { headers: { A: {} } } }, /A: nothing refers to it/],
    ['a tag that is not listed', documentOf(text, {}, { operationId: 'find', tags: ['A'] }), /tag A: is not listed/],
    ['a tag without a description', { ...documentOf(text), tags: [{ name: 'A' }] }, /tag A: has no description/],
    ['a tag of no operation', { ...documentOf(text), tags: [{ name: 'A' }] }, /tag A: no operation has it/],
    [
      'one in a header',
      { ...documentOf(text), components: { headers: { A: { schema: {} } } } },
      /headers\/A: has no type/,
    ],
  ];
  test.each(faulty)('%s', (_title, document, fault) => {
    expect(schemaFaults({ ...document }).join('\n')).toMatch(fault);
  });

  test.each([
    [['tag', '-tag'], ['-tag is no name of a parameter']],
    [['event_type', 'eventType'], ['eventType is like another parameter']],
    [['a b'], ['a b is no name of a parameter']],
    [['tag', 'not_tag', 'PAYMENT-SIGNATURE'], []],
  ])('parameters of the names %j', (names, faults) => {
    const operation = { operationId: 'find', parameters: names.map((name) => ({ name, schema: text })) };
    expect(schemaFaults({ paths: { '/a': { get: operation } } })).toEqual(faults.map((fault) => `get /a: ${fault}`));
  });

  test('two operations of one id', () => {
    const paths = { '/a': { get: { operationId: 'find' } }, '/b': { get: { operationId: 'find' } } };
    expect(schemaFaults({ paths })).toEqual(['get /b: find is the name of another one, too']);
  });
});

describe('Names of inline schemas', () => {
  test('objects become components, by their title or the way to them', () => {
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

  test('so do the words of a union', () => {
    const order = { anyOf: [{ type: 'string', enum: ['up', 'down'] }, { type: 'null' }] };
    const { schemas } = nameSchemas({ paths: {}, schemas: { List: { ...object, properties: { order } } } });
    expect(schemas.ListOrder).toMatchObject({ type: 'string', enum: ['up', 'down'] });
  });

  test('the same twice is one, and two that differ are refused', () => {
    const titled = { ...object, title: 'Same' };
    const { schemas } = nameSchemas({ paths: {}, schemas: { A: { anyOf: [titled, titled] } } });
    expect(Object.keys(schemas)).toEqual(['Same', 'A']);
    const other = { ...titled, properties: {} };
    expect(() => nameSchemas({ paths: {}, schemas: { A: { anyOf: [titled, other] } } })).toThrow(/Same: give one/);
  });

  test('examples stay as they are', () => {
    const content = { schema: text, example: { schema: object }, examples: { a: { value: { schema: object } } } };
    const paths = { '/a': { get: { operationId: 'find', responses: { 200: { content } } } } };
    expect(nameSchemas({ paths, schemas: {} })).toEqual({ paths, schemas: {} });
  });
});
