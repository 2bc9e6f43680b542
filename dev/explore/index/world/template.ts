import pg from 'pg';
import { migrate } from '../../../../src/schema/migrate.ts';
import { triggerScript } from '../../../../src/schema/sources/triggers.ts';
import { teamRows, teamSchema } from './team-tables.ts';

// The databases that every world's own is copied from.

export const template = 'model_template';
/** Views show tables of a team's own. */
export const viewsTemplate = 'model_template_views';

export const rowsAtFirst = 6;

export async function prepareTemplate(url: (database: string) => string): Promise<void> {
  await connected(url('postgres'), async (admin) => {
    await admin.query(`create database ${template}`);
    await migrate(url(template), () => undefined);
    await fill(url(template));
    await admin.query(`create database ${viewsTemplate}`);
    await connected(url(viewsTemplate), (client) => client.query(teamSchema + teamRows(rowsAtFirst)));
    await migrate(url(viewsTemplate), () => undefined);
    await connected(url(viewsTemplate), async (client) => {
      await client.query(await triggerScript(client));
      await client.query('vacuum analyze');
    });
    await admin.query('checkpoint');
  });
}

export async function connected(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

async function fill(url: string): Promise<void> {
  await connected(url, async (client) => {
    for (const kind of ['companies', 'people', 'investors', 'events']) {
      await client.query(
        `insert into ${kind} (id, name, slug, overview)
         select n, '${kind} ' || n, '${kind}-' || n, 'first' from generate_series(1, $1::int) as n`,
        [rowsAtFirst],
      );
    }
    await client.query(
      `insert into roles (person_id, position, title, company_id)
       select n, 0, 'Founder', 1 + n % 3 from generate_series(1, $1::int) as n`,
      [rowsAtFirst],
    );
    await client.query('truncate search_changes');
    await client.query('vacuum analyze');
  });
}
