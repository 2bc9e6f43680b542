import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type KindName, kindNames } from '../../../src/kinds/kind.ts';

const texts = z
  .array(z.string())
  .nullish()
  .transform((list) => list ?? []);
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

/** A line of a data file, as far as queries are made from it. */
const line = z.object({
  id: z.number(),
  name: z.string(),
  tagline: text,
  headline: text,
  overview: text,
  website: text,
  tags: texts,
  ecosystems: texts,
  aliases: texts,
  former_names: texts,
  tickers: texts,
  proposals: texts,
  event_types: texts,
  investment_focus: texts,
  investment_stages: texts,
  year: z.number().nullish(),
  is_online: z.boolean().nullish(),
  location_json: z.object({ city: z.string().nullish(), country: z.string().nullish() }).nullish(),
  links: z.record(z.string(), z.unknown()).nullish(),
  roles: z.array(z.object({ organisation: text })).nullish(),
  portfolio_companies: z.array(z.object({ name: z.string() })).nullish(),
});

/** An entity of a data folder, of whatever kind. */
export type Entity = Readonly<z.infer<typeof line>> & {
  readonly kind: KindName;
  /** Name, aliases and former names. */
  readonly names: readonly string[];
  readonly city: string;
  readonly country: string;
  readonly organisations: readonly string[];
  readonly portfolio: readonly string[];
  /** Without "@". */
  readonly handles: readonly string[];
  /** Without "www."; '' for none. */
  readonly host: string;
  /** All that it says about itself in sentences. */
  readonly words: string;
};

/** Reads the four files of a data folder. Throws with the file's name and line number where a line can't be read. */
export async function readEntities(folder: string): Promise<Entity[]> {
  const entities: Entity[] = [];
  for (const kind of kindNames) {
    const file = join(folder, `${kind}.ndjson`);
    const lines = (await readFile(file, 'utf8')).split('\n');
    for (const [at, content] of lines.entries()) {
      if (content.trim() !== '') entities.push(readLine(kind, content, `${file}:${at + 1}`));
    }
  }
  return entities;
}

function readLine(kind: KindName, content: string, where: string): Entity {
  try {
    const row = line.parse(JSON.parse(content));
    return {
      ...row,
      kind,
      names: [row.name, ...row.aliases, ...row.former_names],
      city: row.location_json?.city ?? '',
      country: row.location_json?.country ?? '',
      organisations: (row.roles ?? []).map(({ organisation }) => organisation).filter((name) => name !== ''),
      portfolio: (row.portfolio_companies ?? []).map(({ name }) => name),
      handles: Object.values(row.links ?? {}).flatMap((link) => (typeof link === 'string' ? handleOf(link) : [])),
      host: hostOf(row.website),
      words: [row.tagline, row.headline, row.overview].join(' '),
    };
  } catch (cause) {
    throw new Error(`${where} can't be read as an entity`, { cause });
  }
}

function handleOf(link: string): string[] {
  const handle = link.replace(/\/+$/, '').split('/').at(-1)?.replace(/^@/, '') ?? '';
  return /^[\w.-]{3,}$/.test(handle) && /^https?:\/\/[^/]+\/[^/]+\/?$/.test(link) ? [handle] : [];
}

function hostOf(website: string): string {
  return URL.canParse(website) ? new URL(website).host.replace(/^www\./, '') : '';
}
