import type { Place } from '../question.ts';
import { fold } from '../words.ts';
import { cityNicknames, countryCodeOf, countryName, regionCodes } from './regions.ts';

/** The places in the spelling of the data, by their names, folded and without hyphens. */
export interface Gazetteer {
  find(key: string): Omit<Place, 'text'> | null;
}

/** Maximum number of words of a place's name. */
export const placeWordsMax = 6;

const keyOf = (name: string): string => fold(name).replace(/[-‐-―.]/g, '');

/** Values of the data that name no place. */
const noPlace = /^(none|unknown|other|various|online|virtual|remote|global|worldwide|tba|tbd)$/;

/** Words after a city that its other names leave out. */
const cityTail = / (city|am main|& .*)$/;

/** Creates a gazetteer of the data's places, other names of them, and regions with their countries in the data. */
export function createGazetteer(countries: ReadonlySet<string>, cities: ReadonlySet<string>): Gazetteer {
  const spelled = new Map<string, string>();
  const places = new Map<string, Omit<Place, 'text'>>();
  for (const country of countries) {
    const code = countryCodeOf.get(keyOf(country));
    if (code !== undefined) spelled.set(code, country);
    else if (!noPlace.test(keyOf(country)) && /^\p{L}[\p{L} .'-]{3,}$/u.test(country))
      places.set(keyOf(country), { countries: [country], cities: [] });
  }
  const nameOfCode = (code: string): string => spelled.get(code) ?? countryName(code);
  for (const [name, codes] of regionCodes) {
    const known = codes.filter((code) => spelled.has(code));
    places.set(name, { countries: (known.length > 0 ? known : codes).map(nameOfCode), cities: [] });
  }
  for (const [name, code] of countryCodeOf) places.set(name, { countries: [nameOfCode(code)], cities: [] });
  addCities(places, cities);
  return { find: (key) => places.get(key) ?? null };
}

function addCities(places: Map<string, Omit<Place, 'text'>>, cities: ReadonlySet<string>): void {
  const spellings = new Map<string, string[]>();
  const add = (key: string, city: string) => spellings.set(key, [...new Set([...(spellings.get(key) ?? []), city])]);
  for (const city of cities) {
    const key = keyOf(city);
    if (!/^\p{L}.{2,}/u.test(key) || noPlace.test(key)) continue;
    add(key, city);
    if (key.startsWith('st ')) add(key.replace('st ', 'saint '), city);
    const short = key.replace(cityTail, '');
    // "Mexico City" is not Mexico.
    if (short !== key && !places.has(short)) add(short, city);
  }
  for (const [nickname, names] of cityNicknames) {
    for (const city of names.flatMap((name) => spellings.get(name) ?? [])) add(nickname, city);
  }
  for (const [key, names] of spellings) {
    // A city that is a state, too, is found as either: "Singapore".
    places.set(key, { countries: places.get(key)?.countries ?? [], cities: names });
  }
}
