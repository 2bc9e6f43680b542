import type { Random } from './random.ts';
import type { SamplePlace, SampleSource } from './rows.ts';
import type { Place } from './words.ts';

/** Returns the value in most rows, and null in the others. */
export function maybe<T>(random: Random, probability: number, value: T): T | null {
  return random.chance(probability) ? value : null;
}

/** Replaces {key} by its value. Throws if a key has no value, which is a mistake in the word lists. */
export function fill(pattern: string, values: Readonly<Record<string, string>>): string {
  return pattern.replace(/\{(\w+)\}/g, (_, key: string) => {
    const value = values[key];
    if (value === undefined) throw new RangeError(`the pattern names {${key}}, which has no value`);
    return value;
  });
}

/** Returns a place with its city, sometimes only the country, sometimes nothing. */
export function placeOf(random: Random, place: Place): SamplePlace | null {
  if (random.chance(0.1)) return null;
  return random.chance(0.06) ? { city: null, country: place.country } : { city: place.city, country: place.country };
}

export function logoOf(random: Random, slug: string): string | null {
  return maybe(random, 0.85, `https://logo.example/${slug}.png`);
}

export function websiteOf(random: Random, slug: string): string | null {
  return maybe(random, 0.92, `https://${slug}.example`);
}

/** Returns one to three sources, as if some rows were known from several places. */
export function sourcesOf(random: Random, seed: number): SampleSource[] {
  const count = random.pick([1, 1, 1, 2, 2, 3]);
  return Array.from({ length: count }, (_, at) => ({
    source: 'fictional sample',
    license: 'CC0-1.0',
    ref: at === 0 ? `seed ${seed}` : `seed ${seed}, copy ${at}`,
  }));
}

/** Returns addresses under the reserved .example. A handle is the slug without its hyphens. */
export function linksOf(random: Random, slug: string, services: readonly string[]): Record<string, string> {
  const handle = slug.replaceAll('-', '_');
  return Object.fromEntries(
    services
      .filter(() => random.chance(0.6))
      .map((service) => [
        service,
        service === 'website' ? `https://${slug}.example` : `https://${service}.example/${handle}`,
      ]),
  );
}

/** "a wallet", "an insurance mutual", "an NFT marketplace". */
export function withArticle(noun: string): string {
  return /^([aeiou]|NFT)/.test(noun) ? `an ${noun}` : `a ${noun}`;
}
