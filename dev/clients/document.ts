import { join } from 'node:path';
import { endpoints } from '../../src/app.ts';
import { openApiDocument } from '../../src/http/openapi/document.ts';

export const documentPath = join(import.meta.dirname, '..', '..', 'clients', 'openapi.json');

/** Returns the OpenAPI document of an installation that sells searches and has account pages. */
export function clientsDocument(): string {
  const installation = { priceUsd: '0.01', sold: true, accountPage: true };
  const document = openApiDocument(endpoints, installation)('https://api.example.com');
  return `${JSON.stringify(document, null, 1)}\n`;
}
