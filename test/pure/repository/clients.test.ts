import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { clientsDocument, documentPath } from '../../../dev/clients/document.ts';

test('the clients are generated from the present document: else run `npm run clients`', () => {
  expect(readFileSync(documentPath, 'utf8') === clientsDocument()).toBe(true);
});
