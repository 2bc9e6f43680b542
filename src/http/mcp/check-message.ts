import { isSpecType, specTypeSchemas } from '@modelcontextprotocol/server';
import { RefusedMessage } from './errors.ts';

/** Schemas of supported requests with parameters, by method. */
const requests = new Map<unknown, keyof typeof specTypeSchemas>([
  ['initialize', 'InitializeRequest'],
  ['tools/list', 'ListToolsRequest'],
  ['tools/call', 'CallToolRequest'],
]);

/** Maximum depth of lists and objects: far deeper than clients send, and far from overflowing the stack. */
const nestedMax = 64;

/** Maximum number of values in a message, because the SDK reports each wrong one. A tool takes 100 identifiers. */
const valuesMax = 2_000;

/** Maximum number of reported problems. */
const problemsMax = 5;

const form =
  'The body is not a JSON-RPC 2.0 message: it needs "jsonrpc": "2.0", a "method" (text), an "id" (text or whole number; none for notifications), "params" (an object) if there are any, and nothing else.';

/**
 * Checks a message where the SDK would only return a code, or report a wrong parameter as a failure of the server.
 * Throws `RefusedMessage`.
 */
export function checkMessage(body: object): void {
  const message: { readonly id?: unknown; readonly method?: unknown } = body;
  if (isDeeper(body, nestedMax)) {
    throw new RefusedMessage('invalidRequest', `The message is nested over ${nestedMax} levels deep.`);
  }
  if (countValues(body, 0) > valuesMax) {
    throw new RefusedMessage('invalidRequest', `The message has over ${valuesMax} values.`);
  }
  if (!isSpecType.JSONRPCMessage(body)) throw new RefusedMessage('invalidRequest', form, message.id);
  const name = requests.get(message.method);
  if (name === undefined || message.id === undefined) return;
  const checked = specTypeSchemas[name]['~standard'].validate(body);
  // These schemas are synchronous.
  if (checked instanceof Promise || checked.issues === undefined) return;
  const problems = checked.issues.slice(0, problemsMax).map(({ path = [], message: problem }) => {
    const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
    return `"${place}": ${problem}.`;
  });
  throw new RefusedMessage(
    'invalidParams',
    `Wrong parameters of ${String(message.method)}. ${problems.join(' ')}`,
    message.id,
  );
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

/** Returns the number of values with those counted before, or some number over the maximum. */
function countValues(value: unknown, before: number): number {
  let count = before + 1;
  if (typeof value !== 'object' || value === null) return count;
  for (const each of Object.values(value)) {
    if (count > valuesMax) break;
    count = countValues(each, count);
  }
  return count;
}
