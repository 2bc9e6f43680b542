// Snapshots of single indices, in a repository on Elasticsearch's file system. Without one (`path.repo`), an index is
// cloned instead, which loses as much: the clone has another UUID and history, and has forgotten deletions.

export type Ask = (
  method: string,
  path: string,
  body?: object,
) => Promise<{ readonly status: number; readonly body: unknown }>;

export interface IndexSnapshot {
  readonly index: string;
  readonly overClosed: boolean;
  /** Deletes or closes the index, and restores its documents and aliases from the snapshot. */
  restore(how: 'deleted' | 'closed'): Promise<void>;
  remove(): Promise<void>;
}

/** Takes a snapshot of an index. `name` must be unused. Throws if Elasticsearch refuses. */
export async function snapshotIndex(ask: Ask, index: string, name: string): Promise<IndexSnapshot> {
  const must = async (method: string, path: string, body?: object): Promise<void> => {
    const answer = await ask(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
  };
  const { status } = await ask('PUT', `/_snapshot/${name}`, { type: 'fs', settings: { location: name } });
  if (status !== 200) return copyIndex(ask, must, index, name);
  const repository = `/_snapshot/${name}`;
  await must('PUT', `${repository}/one?wait_for_completion=true`, { indices: index, include_global_state: false });
  return {
    index,
    overClosed: true,
    async restore(how) {
      await (how === 'closed' ? must('POST', `/${index}/_close`) : must('DELETE', `/${index}`));
      await must('POST', `${repository}/one/_restore?wait_for_completion=true`, { indices: index });
    },
    async remove() {
      await must('DELETE', `${repository}/one`);
      await must('DELETE', repository);
    },
  };
}

type Must = (method: string, path: string, body?: object) => Promise<void>;

async function copyIndex(ask: Ask, must: Must, index: string, copy: string): Promise<IndexSnapshot> {
  await cloneIndex(must, index, copy);
  return {
    index,
    overClosed: false,
    async restore() {
      const { body } = await ask('GET', `/${index}/_alias`);
      const { aliases } = (body as Record<string, { readonly aliases: Readonly<Record<string, object>> }>)[index] ?? {};
      await must('DELETE', `/${index}`);
      await cloneIndex(must, copy, index);
      const actions = Object.entries(aliases ?? {}).map(([alias, options]) => ({ add: { index, alias, ...options } }));
      if (actions.length > 0) await must('POST', '/_aliases', { actions });
    },
    remove: () => must('DELETE', `/${copy}`),
  };
}

async function cloneIndex(must: Must, from: string, to: string): Promise<void> {
  await must('PUT', `/${from}/_settings`, { 'index.blocks.write': true });
  await must('POST', `/${from}/_clone/${to}?wait_for_active_shards=1`, {
    settings: { 'index.blocks.write': null, 'index.number_of_replicas': 0 },
  });
  await must('GET', `/_cluster/health/${to}?wait_for_status=green&timeout=10s`);
  await must('PUT', `/${to}/_settings`, { 'index.blocks.write': null });
  await must('PUT', `/${from}/_settings`, { 'index.blocks.write': null });
}
