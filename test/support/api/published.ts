import type { OutgoingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { endpoints } from '../../../src/app.ts';
import { accountEndpoints } from '../../../src/http/account/account-endpoints.ts';
import { envelopeOf } from '../../../src/http/openapi/components.ts';
import { openApiDocument } from '../../../src/http/openapi/document.ts';
import { pageRoutes } from '../../../src/http/pages/page-routes.ts';
import type { Json } from '../../../src/lib/wire-schema.ts';

// Checks answers against the published OpenAPI document, and those for the pages against their schemas.

/** The address of the service, according to its document. */
export const publishedUrl = 'https://api.example.com';

const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
addFormats.default(ajv);
const addresses = new Map<Json, string>();
const installation = { priceUsd: '0.01', sold: true, accountPage: true } as const;

/** Returns the document of the API as a client gets it. */
export const published = builtOnce('http://published/openapi.json', () =>
  openApiDocument(endpoints, installation)(publishedUrl),
);

/** The document takes 0.1 s to build, and some test files don't need it. */
function builtOnce($id: string, build: () => Json): () => Json {
  let document: Json | undefined;
  return () => {
    if (document !== undefined) return document;
    const built: Json = JSON.parse(JSON.stringify(build()));
    addresses.set(built, $id);
    ajv.addSchema({ $id, ...onlyKnownFields(built) });
    document = built;
    return built;
  };
}

const methods = ['get', 'post', 'delete'] as const;

/** An answer from the server. */
export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

const validators = new Map<string, ValidateFunction>();

/**
 * A document whose objects allow only named fields: clients must survive new ones, and our tests find undescribed ones.
 */
function onlyKnownFields(part: Json): Json {
  const entries = Object.entries(part).map(([key, value]) => [key, withOnlyKnownFields(value)] as const);
  const closed = 'properties' in part && !('additionalProperties' in part) ? { additionalProperties: false } : {};
  return { ...Object.fromEntries(entries), ...closed };
}

function withOnlyKnownFields(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withOnlyKnownFields);
  return typeof part === 'object' && part !== null ? onlyKnownFields({ ...part }) : part;
}

function pointerPart(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** Returns the problem of a value by the schema at a place in the document; null if it is valid. */
export function misfit(place: readonly string[], value: unknown, document = published()): string | null {
  const $ref = `${addresses.get(document)}#/${place.map(pointerPart).join('/')}`;
  const validate = validators.get($ref) ?? ajv.compile({ $ref });
  validators.set($ref, validate);
  return validate(value) ? null : ajv.errorsText(validate.errors, { separator: '\n' });
}

export function at(value: unknown, ...place: readonly string[]): unknown {
  let here = value;
  for (const key of place) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = Object.entries(here).find(([name]) => name === key)?.[1];
  }
  return here;
}

export function keysOf(value: unknown): readonly string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}

export function operationsOf(document: Json): readonly { readonly path: string; readonly method: string }[] {
  return keysOf(document.paths).flatMap((path) =>
    keysOf(at(document, 'paths', path)).map((method) => ({ path, method })),
  );
}

/** Every example of an answer in a document, with the place of its schema. */
export function exampleAnswersOf(document: Json) {
  return operationsOf(document).flatMap(({ path, method }) =>
    keysOf(at(document, 'paths', path, method, 'responses')).flatMap((status) => {
      const place = ['paths', path, method, 'responses', status, 'content', 'application/json'];
      const content = at(document, ...place);
      const titled = keysOf(at(content, 'examples')).map((title) => [title, at(content, 'examples', title, 'value')]);
      const single = at(content, 'example');
      const all = single === undefined ? titled : [...titled, ['error', single]];
      return all.map(([title, value]) => ({ title: `${method} ${path} ${status} ${title}`, place, value }));
    }),
  );
}

function templateOf(document: Json, path: string): string | undefined {
  const templates = keysOf(document.paths);
  if (templates.includes(path)) return path;
  return templates.find((template) => fits(template, path));
}

function fits(template: string, path: string): boolean {
  return new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path);
}

/** Returns the problems of an answer as sentences; none if it matches the document. */
export function complaints(sent: Sent): readonly string[] {
  const name = `${sent.method} ${sent.url.slice(0, 200)} → ${sent.status}`;
  return judge(sent).map((sentence) => `${name}: ${sentence}`);
}

function judge(sent: Sent): readonly string[] {
  const { status, headers } = sent;
  const document = published();
  const found = headers['x-request-id'] === undefined ? ['has no X-Request-Id'] : [];
  if (sent.url.startsWith('/account/api/')) return [...found, ...judgeForPages(document, sent)];
  const template = templateOf(document, sent.url.split(/[?#]/)[0] ?? '');
  if (template === undefined && isPage(sent)) return found;
  if (template === undefined) return [...found, ...judgeError(document, sent, 404)];
  const method = sent.method === 'HEAD' ? 'get' : sent.method.toLowerCase();
  if (method === 'options') return status === 204 ? found : [...found, 'is not 204'];
  const offered = methods.some((each) => each === method) && at(document, 'paths', template, method) !== undefined;
  // The paid search is the one address that has GET and no HEAD.
  const noHead = sent.method === 'HEAD' && status === 405;
  if (offered && !noHead)
    return [...found, ...judgeOffered(document, sent, ['paths', template, method, 'responses', String(status)])];
  if (headers.allow === undefined) found.push('has no Allow');
  return [...found, ...judgeError(document, sent, 405)];
}

/** Checks an answer of the account's routes, which are not in the document. */
function judgeForPages(document: Json, sent: Sent): readonly string[] {
  const { method, status } = sent;
  if (status >= 400) return judgeError(document, sent, status);
  const path = sent.url.split(/[?#]/)[0] ?? '';
  const route = accountEndpoints.find((each) => each.method === method.toLowerCase() && fits(each.path, path));
  if (route?.answer === undefined) return [];
  const { error } = envelopeOf(route.answer).safeParse(read(sent, 'application/json'));
  return error === undefined ? [] : [error.message];
}

/** Pages, also for missing addresses, are for people and not in the document. */
function isPage({ url, status, headers }: Sent): boolean {
  const [path = ''] = url.split(/[?#]/);
  const isOurs = pageRoutes.some((page) => fits(page.path, path));
  const isHtml = String(headers['content-type']).startsWith('text/html');
  return (isOurs && status !== 404) || isHtml;
}

/** @param place of the answer in the document */
function judgeOffered(document: Json, sent: Sent, place: readonly string[]): readonly string[] {
  const { headers, body } = sent;
  const response = at(document, ...place);
  if (response === undefined) return ['its status is not documented'];
  const found = judgeHeaders(document, at(response, 'headers'), headers);
  const contents = keysOf(at(response, 'content'));
  if (sent.method === 'HEAD' || contents.length === 0) {
    return body.length === 0 ? found : [...found, 'has a body'];
  }
  const type = String(headers['content-type']).split(';')[0] ?? '';
  if (!contents.includes(type)) return [...found, `its type ${type} is not documented`];
  const problem = misfit([...place, 'content', type, 'schema'], read(sent, type), document);
  return problem === null ? found : [...found, problem];
}

function judgeHeaders(document: Json, documented: unknown, headers: OutgoingHttpHeaders): readonly string[] {
  return keysOf(documented).flatMap((name) => {
    const component = ['components', 'headers', name];
    const value = headers[name.toLowerCase()];
    if (value === undefined) return at(document, ...component, 'required') === true ? [`has no ${name}`] : [];
    const type = at(document, ...component, 'schema', 'type');
    const problem = misfit([...component, 'schema'], type === 'integer' ? Number(value) : String(value), document);
    return problem === null ? [] : [`${name}: ${problem}`];
  });
}

function judgeError(document: Json, sent: Sent, status: number): readonly string[] {
  if (sent.status !== status) return [`is not ${status}`];
  if (sent.method === 'HEAD') return [];
  const problem = misfit(['components', 'schemas', 'Error'], read(sent, 'application/json'), document);
  return problem === null ? [] : [problem];
}

function read({ headers, body }: Sent, type: string): unknown {
  const text = unpacked(body, headers['content-encoding']).toString('utf8');
  return /[/+]json$/.test(type) ? JSON.parse(text) : text;
}

function unpacked(body: Buffer, encoding: unknown): Buffer {
  if (encoding === 'br') return brotliDecompressSync(body);
  return encoding === 'gzip' ? gunzipSync(body) : body;
}
