import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kindNames } from '../../../src/kinds/kind.ts';

const styles = join(import.meta.dirname, '../../../console/styles');
const text = (name: string): string => readFileSync(join(styles, name), 'utf8');

test.each(kindNames)('%s have their own colour, in light and dark mode', (kind) => {
  expect(text('kinds.css')).toContain(`.kind-${kind} {\n  --kind: var(--${kind});\n}`);
  expect(text('tokens.css').split(`--${kind}: `)).toHaveLength(3);
});
