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

The body of an error is \`{"error": "…", "code": "…"}\`; [the API](../api.md#errors) has an example. \`code\` is stable.

${table(['status', '`code`', 'when', 'header'], rows)}
`;
}
