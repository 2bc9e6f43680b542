import { type Endpoint, installationOf } from '../../endpoint.ts';
import { anyObject, page } from '../../endpoints/documentation.ts';
import { accountDocument } from '../../openapi/account-document.ts';
import { sendStatic, staticFile } from '../../response/static-file.ts';

export const accountOpenApi: Endpoint = {
  method: 'get',
  path: '/account/api/openapi.json',
  gates: ['slot'],
  operation: () => page('accountOpenApi', 'This document', 'application/json', anyObject),
  handler: (deps, endpoints) =>
    sendStatic(staticFile('application/json', () => JSON.stringify(accountDocument(endpoints, installationOf(deps))))),
};
