import type { Registry } from 'prom-client';
import { addGauge } from '../../src/metrics/registry.ts';
import type { GenerationLag } from '../../src/postgres/index-lag.ts';

/** Shows how far each generation is behind, whichever process follows it. Called once for a registry. */
export function watchGenerations(registry: Registry, latest: () => readonly GenerationLag[] | undefined): void {
  const gauge = (name: string, help: string, value: (generation: GenerationLag) => number) => {
    const read = () =>
      (latest() ?? []).map(
        (one) => [{ kind: one.kind, generation: one.generation, state: one.state }, value(one)] as const,
      );
    addGauge(registry, `generation_${name}`, help, read, ['kind', 'generation', 'state']);
  };
  gauge('lag_rows', 'Change log entries that a generation lacks, counted up to 100000.', (one) => one.rows);
  gauge('lag_seconds', 'Age of the oldest entry that a generation lacks.', (one) => one.seconds);
  gauge('halted', '1 if a generation is not followed until it has been compared.', (one) => (one.halted ? 1 : 0));
  gauge('dead_letters', 'Documents of a generation that Elasticsearch rejected.', (one) => one.deadLetters);
}
