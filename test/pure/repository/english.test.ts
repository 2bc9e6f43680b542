import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { problemsOf } from '../../support/english/rules.ts';
import { type Text, textsOf } from '../../support/english/texts.ts';

// Comments, messages, pages and titles follow the rules of English in CONTRIBUTING.md, as far as patterns can tell.

const root = join(import.meta.dirname, '..', '..', '..');
const read = /\.(?:ts|tsx|js|cjs|sql|css|py|md|java|sh|yml|toml)$|Dockerfile$|^\.ci\/|^\.env\.example$/;
/** Generated from texts that are checked, fictional or judged data, and this check itself. */
const skipped =
  /\/generated\/|^clients\/openapi|^dev\/(?:sample|eval)\/(?:words|meaning|generated)\/|^test\/support\/english\/|english\.test/;

function files(): readonly string[] {
  const listed = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
  return listed.filter((file) => read.test(file) && !skipped.test(file));
}

/** Strings of tests and samples are data, such as queries of users; only their titles are prose. */
function isProse(file: string, { kind }: Text): boolean {
  return kind !== 'message' || !/^(?:test|dev\/(?:sample|eval|explore|torture))\//.test(file);
}

test('no text opens with a headless clause or uses a word that has a plainer one', () => {
  const problems = files().flatMap((file) =>
    textsOf(file, readFileSync(join(root, file), 'utf8'))
      .filter((text) => isProse(file, text))
      .flatMap((text) => problemsOf(text).map((problem) => `${file}:${text.line}: ${problem}`)),
  );
  expect(problems).toEqual([]);
});
