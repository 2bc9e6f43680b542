export type EngineSource = 'environment' | 'docker' | 'embedded';

export interface EngineFacts {
  readonly databaseUrl: string | undefined;
  readonly elasticsearchUrl: string | undefined;
  readonly dockerAnswers: boolean;
}

/** One engine's source; `url` is given exactly when it comes from the environment. */
export type EngineChoice =
  | { readonly source: 'environment'; readonly url: string }
  | { readonly source: 'docker' | 'embedded' };

/** True when the choice depends on Docker: it is not even asked when both addresses are given. */
export function dockerMatters(facts: Omit<EngineFacts, 'dockerAnswers'>): boolean {
  return facts.databaseUrl === undefined || facts.elasticsearchUrl === undefined;
}

/** Each engine by itself: the given address, else Docker where it answers, else our own on loopback. */
export function chooseEngines(facts: EngineFacts): {
  readonly postgres: EngineChoice;
  readonly elasticsearch: EngineChoice;
} {
  return {
    postgres: choose(facts.databaseUrl, facts.dockerAnswers),
    elasticsearch: choose(facts.elasticsearchUrl, facts.dockerAnswers),
  };
}

function choose(url: string | undefined, dockerAnswers: boolean): EngineChoice {
  if (url !== undefined) return { source: 'environment', url };
  return { source: dockerAnswers ? 'docker' : 'embedded' };
}
