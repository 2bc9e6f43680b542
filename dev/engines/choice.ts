export type EngineSource = 'environment' | 'docker' | 'embedded';

/** The source of an engine; `url` is set only if it comes from the environment. */
export type EngineChoice =
  | { readonly source: 'environment'; readonly url: string }
  | { readonly source: 'docker' | 'embedded' };

/** Returns the given address; otherwise Docker if it answers; otherwise our own engine on loopback. */
export function chooseEngine(url: string | undefined, dockerAnswers: boolean): EngineChoice {
  if (url !== undefined) return { source: 'environment', url };
  return { source: dockerAnswers ? 'docker' : 'embedded' };
}
