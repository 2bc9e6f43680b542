import type pg from 'pg';

/** Splits a script into statements, like psql. */
const statement = /(?:--[^\n]*|\$(\w*)\$[\s\S]*?\$\1\$|"(?:[^"]|"")*"|[eE]?'(?:[^']|'')*'|[^;])+;/g;

/** Runs a script like `psql -f`. */
export async function runScript(client: pg.ClientBase, script: string): Promise<void> {
  for (const [text] of script.matchAll(statement)) await client.query(text);
}
