import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from '@elastic/elasticsearch';
import { expect, test } from '@jest/globals';
import { price } from '../../dev/chain/payment.ts';
import { kinds } from '../../src/kinds/registry.ts';
import { startApiProcess } from '../support/api/process.ts';
import { newPayer } from '../support/payments/payers.ts';
import { aliasName } from '../../src/kinds/index-names.ts';
import { type PaidStage, setPaidStage } from '../support/stages/paid.ts';

// The tests of clients/python, those against this service among them, where it is installed.

const own = join(import.meta.dirname, '..', '..', '.local', 'clients-python', 'bin', 'python');
const python = existsSync(own) ? own : 'python3';
const installed = spawnSync(python, ['-c', 'import entity_search_client, pytest, x402']).status === 0;
if (!installed) {
  process.stderr.write("SKIPPED: the Python client is not installed (pip install -e 'clients/python[test]')\n");
}
