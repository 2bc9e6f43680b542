import containment from 'cldr-core/supplemental/territoryContainment.json' with { type: 'json' };
import nationalities from 'i18n-nationality/langs/en.json' with { type: 'json' };
import { fold } from '../words.ts';

// Names of countries come from Intl, the countries of regions from Unicode's CLDR, words for nationalities from
// i18n-nationality. The tables here have the rest.

/** Names of CLDR's regions that neither Intl has nor can be derived from its names. */
const otherRegionNames: Readonly<Record<string, readonly string[]>> = {
  '009': ['pacific'],
  '030': ['far east'],
  '034': ['indian subcontinent'],
  '035': ['south east asia', 'sea region'],
  '202': ['sub saharan africa', 'subsahara'],
  '419': ['latam', 'latin'],
  EU: ['eu'],
  EZ: ['euro area', 'euro zone'],
};

/** Returns a region's name and others that follow from it: "eastern asia", "east asia", "east asian". */
function regionNames(code: string): readonly string[] {
  const name = fold(longNames.of(code) ?? code).replaceAll('-', '');
  // "North America" has more countries than Northern America.
  const names = code === '021' ? [name] : [name, name.replace(/ern /, ' ')];
  return [...new Set([...names, ...names.map((one) => one.replace(/a$/, 'an').replace(/europe$/, 'european'))])];
}

const nordic = 'DK FI IS NO SE FO GL AX';
const middleEast = 'AE BH CY EG IL IQ IR JO KW LB OM PS QA SA SY TR YE';
const asiaPacific = '030 034 035 009';

/** Groups that neither CLDR nor Intl has: their names, and the countries and regions in them. */
const groups: readonly (readonly [names: string, members: string])[] = [
  ['nordics, nordic, nordic countries, the nordics', nordic],
  ['scandinavia, scandinavian', 'DK NO SE'],
  ['baltics, baltic, baltic states', 'EE LV LT'],
  ['balkans, balkan', 'AL BA BG GR HR ME MK RO RS SI XK'],
  ['benelux', 'BE NL LU'],
  ['dach, german speaking countries', 'DE AT CH'],
  ['iberia, iberian', 'ES PT'],
  ['central and eastern europe, cee, central europe, central european', '151 AT EE LV LT SI HR RS'],
  ['middle east, middle eastern, near east', middleEast],
  ['continental europe', '039 151 155 DK EE FI LT LV NO SE'],
  ['mena, middle east and north africa', `${middleEast} 015`],
  ['gulf, gcc, gulf states', 'AE BH KW OM QA SA'],
  ['emea', `150 002 ${middleEast}`],
  ['apac, asia pacific, asiapac', asiaPacific],
  ['greater china', 'CN HK MO TW'],
  ['cis, post soviet', 'AM AZ BY KZ KG MD RU TJ UZ'],
  ['british isles', 'GB IE IM JE GG'],
  ['south caucasus, caucasus', 'AM AZ GE'],
];

/** Names of countries that Intl lacks in both of its styles. */
const otherCountryNames: Readonly<Record<string, readonly string[]>> = {
  AE: ['uae', 'emirates', 'the emirates', 'emirati'],
  AR: ['argentine', 'argentinian'],
  CI: ['ivory coast'],
  CZ: ['czech republic'],
  HK: ['hk'],
  GB: ['great britain', 'britain', 'england', 'scotland', 'wales', 'english', 'scottish', 'welsh'],
  KR: ['korea', 'korean', 'republic of korea'],
  MM: ['burma'],
  MO: ['macau'],
  NL: ['holland', 'the netherlands'],
  RU: ['russian federation'],
  SK: ['slovak'],
  SV: ['salvadoran', 'salvadorian'],
  TR: ['turkey', 'turkiye'],
  UA: ['the ukraine'],
  UG: ['ugandan'],
  US: ['usa', 'america', 'united states of america', 'the states', 'u.s', 'u.s.a'],
  VN: ['viet nam'],
};

const longNames = new Intl.DisplayNames('en', { type: 'region' });
const shortNames = new Intl.DisplayNames('en', { type: 'region', style: 'short' });

type Containment = Readonly<Record<string, { readonly _contains: readonly string[] } | undefined>>;
const contained: Containment = containment.supplemental.territoryContainment;

function countriesIn(code: string): readonly string[] {
  const members = contained[code]?._contains;
  return members === undefined ? [code] : members.flatMap(countriesIn);
}

/** Every country of the world, as ISO 3166 codes of two letters. */
export const countryCodes: readonly string[] = [...new Set(countriesIn('001'))].filter((code) =>
  /^[A-Z]{2}$/.test(code),
);

/** Returns the name of a country in English: "Czechia", and without its owner: "Hong Kong". */
export function countryName(code: string): string {
  const name = longNames.of(code) ?? code;
  return name.includes('SAR') || name.includes('(') ? (shortNames.of(code) ?? name) : name;
}

const demonyms: Readonly<Record<string, string | undefined>> = nationalities.nationalities;

/** Those of islands are wrong there ("Welsh" of Wallis and Futuna), or names of places. */
function demonymOf(code: string): readonly string[] {
  const word = demonyms[code];
  return word === undefined || code === 'WF' || !/^[A-Z][a-z]+( [A-Z][a-z]+)?$/.test(word) ? [] : [word];
}

/** Those whose name in their own language is another word in English: "Island", "Maurice". */
const misleading: ReadonlySet<string> = new Set(['IS', 'MU']);

/** Returns the name of a country in its main language: "Deutschland". */
function nativeNames(code: string): readonly string[] {
  if (misleading.has(code)) return [];
  const { language } = new Intl.Locale(`und-${code}`).maximize();
  return [new Intl.DisplayNames(language, { type: 'region' }).of(code) ?? code];
}

/** Names of regions, folded, with the codes of their countries. */
export const regionCodes: ReadonlyMap<string, readonly string[]> = new Map([
  ...Object.keys(contained)
    .filter((code) => /^(\d{3}|EU|EZ)$/.test(code) && code !== '001')
    .flatMap((code) =>
      [...regionNames(code), ...(otherRegionNames[code] ?? [])].map((name) => [name, countriesIn(code)] as const),
    ),
  ...groups.flatMap(([names, members]) => {
    const codes = [...new Set(members.split(' ').flatMap(countriesIn))];
    return names.split(', ').map((name) => [name, codes] as const);
  }),
]);

/** Names of countries, folded, with their codes: names in English and the own language, short names, demonyms. */
export const countryCodeOf: ReadonlyMap<string, string> = new Map(
  countryCodes.flatMap((code) => {
    const own = [longNames.of(code) ?? code, shortNames.of(code) ?? code, ...(otherCountryNames[code] ?? [])];
    const names = [...demonymOf(code), ...nativeNames(code), ...own].map(fold);
    return names.map((name) => [name.replace(/[-‐-―]/g, '').replace(/ & /g, ' and '), code] as const);
  }),
);

const namesByCode = Map.groupBy(countryCodeOf.keys(), (name) => countryCodeOf.get(name));

/** Names of countries in texts, folded: "swiss". Names of three letters or less mean other things. */
export function countryWords(country: string): readonly string[] {
  const code = countryCodeOf.get(fold(country));
  return (code === undefined ? [] : (namesByCode.get(code) ?? [])).filter((name) => name.length > 3);
}

const bayArea =
  'san francisco, oakland, berkeley, san mateo, foster city, redwood city, menlo park, palo alto, stanford, mountain view, sunnyvale, cupertino, santa clara, san jose';

/** Names of cities that the data does not use, and states with their largest cities. */
export const cityNicknames: ReadonlyMap<string, readonly string[]> = new Map(
  [
    ['nyc, ny', 'new york'],
    ['sf, san fran', 'san francisco'],
    ['la', 'los angeles'],
    ['dc', 'washington'],
    ['munchen, muenchen', 'munich'],
    ['zuerich', 'zurich'],
    ['wien', 'vienna'],
    ['lisboa', 'lisbon'],
    ['praha', 'prague'],
    ['bangalore', 'bengaluru'],
    ['saigon', 'ho chi minh city'],
    ['silicon valley, bay area, sf bay area, san francisco bay area', bayArea],
    ['california, californian', `${bayArea}, los angeles, san diego, irvine, pasadena, sacramento, fremont, milpitas`],
    ['texas, texan', 'austin, dallas, fort worth, houston, irving, plano, san antonio'],
    ['florida', 'miami, boca raton, fort lauderdale, jacksonville, orlando, palm beach, tampa'],
    ['massachusetts', 'boston, cambridge, framingham, somerville, waltham, worcester'],
    ['illinois', 'chicago, evanston, northbrook'],
    ['colorado', 'denver, boulder, broomfield, colorado springs'],
    ['pennsylvania', 'philadelphia, pittsburgh, allentown'],
    ['ohio', 'cleveland, columbus, cincinnati, akron, toledo'],
    ['north carolina', 'charlotte, raleigh, durham'],
    ['virginia', 'reston, richmond, mclean, norfolk'],
    ['arizona', 'phoenix, scottsdale, tempe, tucson, chandler'],
    ['minnesota', 'minneapolis, st paul, eden prairie'],
    ['new jersey', 'newark, jersey city, princeton'],
    ['connecticut', 'stamford, hartford, greenwich, new haven, norwalk'],
    ['tennessee', 'nashville, memphis, knoxville'],
    ['michigan', 'detroit, ann arbor'],
    ['nevada', 'las vegas, reno'],
    ['utah', 'salt lake city, provo'],
    ['oregon', 'portland'],
    ['missouri', 'st louis, kansas city'],
    ['wisconsin', 'milwaukee, madison'],
    ['maryland', 'baltimore, bethesda, rockville'],
    ['ontario', 'toronto, ottawa, waterloo'],
    ['bavaria', 'munich, nuremberg'],
    ['catalonia', 'barcelona'],
  ].flatMap(([names = '', cities = '']) => names.split(', ').map((name) => [name, cities.split(', ')] as const)),
);
