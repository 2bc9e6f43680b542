import type pg from 'pg';
import { vectorLock } from '../../../indexer/embeddings/scan.ts';
import { countWaiting } from '../../../indexer/embeddings/vector-rows.ts';
import { findHolder } from '../../../indexer/generations/locks.ts';
import type { EmbeddingModel } from '../../../src/embeddings/model.ts';
import { kindNames } from '../../../src/kinds/kind.ts';
import type { Check } from '../check.ts';
import { ok, skipped, type Verdict, warn } from '../finding.ts';

/** Checks that every text has its vector, or is getting one now. */
export function vectorsCheck(pool: pg.Pool, model: EmbeddingModel): Check {
  return {
    name: 'vectors',
    notAllowed: 'This role may not see them; run doctor with entity_search_indexer.',
    run: () => checkVectors(pool, model),
  };
}

async function checkVectors(pool: pg.Pool, model: EmbeddingModel): Promise<Verdict> {
  const { rows } = await pool.query<{ there: boolean }>(
    `select to_regclass('public.entity_vectors') is not null as there`,
  );
  if (rows[0]?.there !== true) return skipped('There are no tables of them yet.');
  const missing: string[] = [];
  const makers: string[] = [];
  for (const kind of kindNames) {
    const waiting = await countWaiting(pool, { kind, model });
    if (waiting === 0) continue;
    missing.push(`${waiting} of ${kind}`);
    const holder = await findHolder(pool, vectorLock({ kind, model }));
    if (holder !== undefined) makers.push(holder.applicationName);
  }
  if (missing.length === 0) return ok(`Every text has its vector of ${model.name}.`);
  const found = `Texts without a vector of ${model.name}: ${missing.join(', ')}.`;
  const [maker] = makers;
  return maker === undefined ? warn(found, 'Run: entity-search embed') : ok(`${found} ${maker} is making them.`);
}
