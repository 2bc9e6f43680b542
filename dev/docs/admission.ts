import { endpoints } from '../../src/app.ts';
import { accountEndpoints } from '../../src/http/account/account-endpoints.ts';
import { type CallerClass, callerClasses } from '../../src/http/caller-classes.ts';
import { type Gate, gates } from '../../src/http/endpoint.ts';
import { pageRoutes } from '../../src/http/pages/page-routes.ts';
import { code, table } from './table.ts';

const callers: Readonly<Record<CallerClass, string>> = {
  keyed: 'a valid API key',
  account: 'a session, or a change of an account, such as signing in',
  payer: 'a payment, or asks for the terms of one',
  visitor: 'none of these',
};

/** All routes with the classes of their callers. */
export function admittedRoutes() {
  return [...endpoints, ...accountEndpoints, ...pageRoutes].map(({ method, path, gates: names }) => ({
    method: method === 'all' ? 'get' : method,
    path,
    gates: gates.flatMap(([name]) => (names.includes(name) ? [name] : [])),
    classes: classesOf(names),
  }));
}

function classesOf(names: readonly Gate[]): readonly CallerClass[] {
  if (names.includes('payment')) return ['payer'];
  if (names.includes('key')) return ['keyed'];
  if (names.includes('key if given')) return ['keyed', 'visitor'];
  if (names.includes('same origin') || names.includes('session')) return ['account'];
  return names.includes('visitor') || names.includes('session if given') ? ['account', 'visitor'] : ['visitor'];
}

export function admissionPage(): string {
  const classes = Object.entries(callerClasses).map(([name, { slotsShare, bodyMaxBytes, bodyTimeoutMs }]) => [
    code(name),
    callers[name as CallerClass],
    `1/${1 / slotsShare}`,
    `${bodyMaxBytes / 1_024} KiB`,
    `${bodyTimeoutMs / 1_000} s`,
  ]);
  const routes = admittedRoutes().map(({ method, path, gates: names, classes: of }) => [
    code(`${method.toUpperCase()} ${path}`),
    names.length === 0 ? 'all' : of.map(code).join(', '),
    names.join(' → '),
  ]);
  return `# Admission

Requests pass the gates of their route in one order. Each class of callers has a share of \`REQUESTS_MAX\` that the
others can't use. An arriving body holds no slot: it counts in a memory budget of its class, in which newer bodies cut
the oldest, so that slow senders do not block other callers.

${table(['gate', 'what it does'], gates)}

## Classes

${table(['class', 'the request has', 'share', 'largest body', 'time for it'], classes)}

## Routes

${table(['route', 'classes', 'gates'], routes)}
`;
}
