import { type IndexMutant, indexMutant } from './index.ts';

/** Defects that this project had. The search begins at the seed. */
export const indexMutants: readonly IndexMutant[] = [
  indexMutant('a comparison that was cut short counts as equal', ['verify', 6], 'equal', [
    ['indexer/verify/verify.ts', 'return suspects.differences.size < stopAfter;', 'return false;'],
    ['indexer/verify/verify.ts', 'const equal = scanned.complete && ', 'const equal = '],
  ]),
  indexMutant('a halt waits for a person', ['failover', 1], 'halted', [
    [
      'indexer/sync/auto-repair.ts',
      '  const rows = await estimateRows(pool, generation.kind);\n',
      `  const rows = await estimateRows(pool, generation.kind);
  const nothing = { differed: 0, written: 0, deleted: 0, beyondBounds: true };
  if (rows >= 0) return { ...nothing, problem: 'Somebody has to compare it.' };
`,
    ],
  ]),
  indexMutant('what waits in the change log keeps a halt from ending', ['failover', 2], 'halted', [
    [
      'indexer/verify/verify.ts',
      'const proven = isProven({ ...report, changing }, options.rejected);',
      'const proven = isProven({ ...report, changing: unjudged }, options.rejected);',
    ],
  ]),
  indexMutant('an index that was restored is taken for one that moved', ['index-restored', 2], 'unequal', [
    [
      'indexer/change-log/restore-detection.ts',
      'if (state.indexHistory !== null && state.indexHistory !== history)',
      "if (state.indexHistory === 'never' && history === 'ever')",
    ],
  ]),
  indexMutant(
    'a snapshot that was restored over its closed index goes unnoticed',
    ['index-restored', 1],
    'unequal',
    [
      [
        'indexer/change-log/index-identity.ts',
        `identity: \`\${found.uuid} \${shards.sort().join(' ')}\``,
        'identity: found.uuid',
      ],
    ],
    { needsSnapshots: true },
  ),
  indexMutant("a restore of Postgres's storage goes unnoticed", ['storage', 9], 'unequal', [
    ['indexer/change-log/write-marker.ts', 'return told > own.marker && told >', 'return told < own.marker && told >'],
  ]),
  indexMutant('an alias on two indices is as good as one', ['alias', 5], 'equal', [
    ['indexer/generations/alias-state.ts', 'if (named.length > 1) {', 'if (named.length > 9) {'],
  ]),
  indexMutant('where no index is searched nothing can be rolled back to', ['alias', 4], 'refused', [
    ['indexer/generations/rollback.ts', 'if (searched.kept.length === 0)', 'if (searched.kept.length >= 0)'],
  ]),
  indexMutant('an infinite date stops its kind', ['poison', 2], 'unequal', [
    [
      'indexer/read/row-errors.ts',
      "return statesOfRows.test(codeOf(error) ?? '');",
      "return codeOf(error) === 'never';",
    ],
    [
      'src/kinds/sql.ts',
      `return \`case when \${expression} between '0001-01-01' and '9999-12-31' then \${expression} end\`;`,
      `return \`make_date(extract(year from \${expression})::int, 1, 1)\`;`,
    ],
  ]),
  indexMutant('tags of two dimensions stop their kind', ['poison', 8], 'unequal', [
    [
      'indexer/read/row-errors.ts',
      "return statesOfRows.test(codeOf(error) ?? '');",
      "return codeOf(error) === 'never';",
    ],
    ['src/kinds/sql.ts', `return \`case when array_ndims(\${expression}) > 1`, 'return `case when false'],
  ]),
  indexMutant('what was to be settled next stays when a reader goes back', ['positions', 2], 'settled', [
    [
      'indexer/change-log/positions.ts',
      'set position = coalesce(settled_position, position), between_position = null, between_at = null,',
      'set position = coalesce(settled_position, position),',
    ],
    [
      'src/schema/baseline/04-generations.sql',
      `    pg_snapshot_xmin(settled_position) <= pg_snapshot_xmin(position)
    and pg_snapshot_xmax(settled_position) <= pg_snapshot_xmax(position)),
`,
      '    true),\n',
    ],
    [
      'src/schema/baseline/04-generations.sql',
      '    pg_snapshot_xmax(between_position) <= pg_snapshot_xmax(position)),',
      '    true),',
    ],
  ]),
  indexMutant('a load resumes after the last batch that was begun', ['load', 1], 'unequal', [
    [
      'indexer/reindex/resume-point.ts',
      'for (let first = this.#open[0]; first?.isAcknowledged; first = this.#open[0]) {',
      'for (let first = this.#open[0]; first !== undefined; first = this.#open[0]) {',
    ],
  ]),
  indexMutant('a blocked index is the fault of its documents', ['whole-index', 2], 'unequal', [
    [
      'indexer/write/index-states.ts',
      '  return byType[type] ?? ',
      "  return type === 'cluster_block_exception' ? undefined : ",
    ],
  ]),
  indexMutant('writers notify, and so can prepare no transaction', ['prepared', 1], 'refused', [
    [
      'src/schema/baseline/02-change-log.sql',
      "begin\n  if tg_op = 'INSERT' then\n    insert into search_changes",
      "begin\n  perform pg_notify('search_changes', '');\n  if tg_op = 'INSERT' then\n    insert into search_changes",
    ],
  ]),
  indexMutant('the log is emptied of what a transaction wrote that no reader has seen', ['pruning', 1], 'unequal', [
    [
      'indexer/change-log/prune.ts',
      'if (found === undefined || found.isNeeded) return 0;',
      'if (found === undefined) return 0;',
    ],
    ['indexer/change-log/prune.ts', 'if (bytes > 0 && !isNeeded) removed', 'if (bytes > 0 || isNeeded) removed'],
  ]),
  indexMutant('vectors arrive in the indices of another model only', ['vectors', 1], 'unequal', [
    ['indexer/change-log/changes.ts', 'model === embeddingModel', 'model !== embeddingModel'],
  ]),
  indexMutant('texts of a batch that was halved get the vectors of others', ['vectors', 1], 'vector', [
    [
      'src/embeddings/provider.ts',
      'texts.slice(0, middle), request)),',
      'texts.slice(0, middle).toReversed(), request)),',
    ],
  ]),
  indexMutant('what no trigger saw is not compared', ['views', 1], 'unequal', [
    ['indexer/resolver/resolver.ts', '  return different;\n', '  return 0;\n'],
    [
      'indexer/resolver/resolver.ts',
      'different += await compareKind(deps, kind, apply, signal);',
      'different += apply ? 0 : 1;',
    ],
  ]),
  indexMutant('who shows an entity is not told that it went', ['views', 1], 'unequal', [
    [
      'indexer/resolver/resolving.ts',
      "[kind, rows === 'all' ? present : changed, changed]",
      "[kind, rows === 'all' ? present : changed, changed.filter((id) => !removed.includes(id))]",
    ],
  ]),
  indexMutant('a new row of a lookup table concerns no entity', ['views', 6], 'unequal', [
    [
      'src/schema/baseline/06-own-tables.sql',
      "    if tg_op = 'TRUNCATE' or noted = '{}' then",
      "    if tg_op = 'INSERT' and tg_argv[0] like '%country' then return null; end if;\n    if tg_op = 'TRUNCATE' or noted = '{}' then",
    ],
  ]),
  indexMutant("triggers cast keys, and fail the team's writes", ['views', 1], 'refused', [
    [
      'src/schema/baseline/06-own-tables.sql',
      "new_key := concat_ws(', ', new_key, format('n.%I::text', name));",
      "new_key := concat_ws(', ', new_key, format('n.%I::text::integer::text', name));",
    ],
    [
      'src/schema/baseline/06-own-tables.sql',
      `  exception when others then
    raise warning 'entity_search_note_rows: which rows`,
      `  exception when division_by_zero then
    raise warning 'entity_search_note_rows: which rows`,
    ],
    [
      'src/schema/baseline/06-own-tables.sql',
      `exception when others then
  raise warning 'entity_search_note_rows: the change`,
      `exception when division_by_zero then
  raise warning 'entity_search_note_rows: the change`,
    ],
  ]),
  indexMutant('the writer decides what is removed', ['views', 1], 'copy', [
    ['indexer/resolver/resolving.ts', '  return removed;\n', "  return rows === 'all' ? [] : removed;\n"],
  ]),
  indexMutant('removals after a restore continue the earlier numbers', ['views-restored', 60], 'copy', [
    ['indexer/resolver/resolver.ts', '  if (!state.isOurs) {', "  if (!state.isOurs && state.position === '') {"],
    [
      'indexer/change-log/halts.ts',
      '    await client.query(beginEpoch);\n    await haltGenerations(',
      '    await haltGenerations(',
    ],
  ]),
  indexMutant('documents of a lost state are in no removal', ['views-restored', 17], 'copy', [
    [
      'indexer/verify/repair.ts',
      '  await appendLostRemovals(pool, generation.kind, entityIdsOf(lost));',
      '  await appendLostRemovals(pool, generation.kind, entityIdsOf(lost).slice(0, 0));',
    ],
  ]),
];
