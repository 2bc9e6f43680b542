import { errorCodes } from '../../src/http/errors/codes.ts';
import { code, table } from './table.ts';

export function errorsPage(): string {
  const rows = Object.entries(errorCodes).map(([name, meaning]) => [
    String(meaning.status),
    code(name),
    meaning.when,
    'header' in meaning ? meaning.header : '',
  ]);
  return `# Errors

Every error body has \`error\`, a sentence, and \`code\`, which is stable. [The API](../api.md#errors) has an example.

${table(['status', '`code`', 'when', 'header'], rows)}
`;
}
