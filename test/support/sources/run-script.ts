import type pg from 'pg';

/** Statements of a script, as psql sends them: one after another. */
const statement = /(?:--[^\n]*|\$(\w*)\$[\s\S]*?\$\1\$|"(?:[^"]|"")*"|[eE]?'(?:[^']|'')*'|[^;])+;/g;

/** Does what `psql -f` does with a script. */
export async function runScript(client: pg.ClientBase, script: string): Promise<void> {
  for (const [text] of script.matchAll(statement)) await client.query(text);
}
