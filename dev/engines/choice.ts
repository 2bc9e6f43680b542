export type EngineSource = 'environment' | 'docker' | 'embedded';

/** One engine's source; `url` is given exactly when it comes from the environment. */
export type EngineChoice =
  | { readonly source: 'environment'; readonly url: string }
  | { readonly source: 'docker' | 'embedded' };

/** The given address, else Docker where it answers, else our own on loopback. */
export function chooseEngine(url: string | undefined, dockerAnswers: boolean): EngineChoice {
  if (url !== undefined) return { source: 'environment', url };
  return { source: dockerAnswers ? 'docker' : 'embedded' };
}
