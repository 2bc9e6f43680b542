import { isSpecType, specTypeSchemas } from '@modelcontextprotocol/server';
import { RefusedMessage } from './json-rpc.ts';

/** Requests that are answered here and have parameters, by their methods. */
const requests = new Map<unknown, keyof typeof specTypeSchemas>([
  ['initialize', 'InitializeRequest'],
  ['tools/list', 'ListToolsRequest'],
  ['tools/call', 'CallToolRequest'],
  ['resources/list', 'ListResourcesRequest'],
  ['resources/templates/list', 'ListResourceTemplatesRequest'],
  ['resources/read', 'ReadResourceRequest'],
  ['completion/complete', 'CompleteRequest'],
  ['prompts/list', 'ListPromptsRequest'],
  ['prompts/get', 'GetPromptRequest'],
]);

/** Levels of lists and objects in each other. Far beyond what clients send, and far below what schemas recurse into. */
const nestedMax = 64;

/** More wrong parameters than this are not told one by one. */
const toldMax = 5;

const form =
  'The body is not a JSON-RPC 2.0 message: it needs "jsonrpc": "2.0", a "method" (text), an "id" (text or whole number; none for notifications), "params" (an object) if there are any, and nothing else.';

/**
 * Checks a message as far as the SDK would tell what is wrong by no more than a code, or take a wrong parameter for a
 * failure of the server. Throws `RefusedMessage`.
 */
export function checkMessage(body: object): void {
  const message: { readonly id?: unknown; readonly method?: unknown } = body;
  if (isDeeper(body, nestedMax)) {
    throw new RefusedMessage('invalidRequest', `The message is nested over ${nestedMax} levels deep.`);
  }
  if (!isSpecType.JSONRPCMessage(body)) throw new RefusedMessage('invalidRequest', form, message.id);
  const name = requests.get(message.method);
  if (name === undefined || message.id === undefined) return;
  const checked = specTypeSchemas[name]['~standard'].validate(body);
  // The schemas have nothing to wait for.
  if (checked instanceof Promise || checked.issues === undefined) return;
  const told = checked.issues.slice(0, toldMax).map(({ path = [], message: problem }) => {
    const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
    return `"${place}": ${problem}.`;
  });
  throw new RefusedMessage(
    'invalidParams',
    `Wrong parameters of ${String(message.method)}. ${told.join(' ')}`,
    message.id,
  );
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}
