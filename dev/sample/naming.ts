import { type Random, random } from './random.ts';
import {
  AFT_WORDS,
  CLOSINGS,
  FORE_WORDS,
  GIVEN_NAMES,
  INVESTOR_TAILS,
  MARKED_WORDS,
  MIDDLES,
  NUMBERS,
  OPENINGS,
  PARTICLES,
  PLAIN_SECONDS,
  SURNAME_ENDS,
  SURNAME_FRONTS,
  type Trade,
} from './words.ts';

/** A name and its words, from which variants can be built. */
export interface Coined {
  readonly name: string;
  readonly words: readonly string[];
}

// Letters that Unicode does not decompose into a base letter and a mark.
const UNDECOMPOSED: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', æ: 'ae', œ: 'oe', ß: 'ss', ı: 'i', đ: 'd' };

/** Returns the ASCII form of a name, with its case: "Café Kübel" → "Cafe Kubel". */
export function withoutMarks(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[øłæœßıđ]/giu, (letter) => {
      const plain = UNDECOMPOSED[letter.toLowerCase()] ?? '';
      return letter === letter.toLowerCase() ? plain : capital(plain);
    });
}

/** Returns lower-case ASCII words joined by hyphens: "Café Kübel Labs" → "cafe-kubel-labs". */
export function slugOf(name: string): string {
  return withoutMarks(name)
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns a coined word: "Velori", "Taraplex". */
export function coinedWord(random: Random, middles = random.chance(0.6) ? 1 : 0): string {
  const middle = Array.from({ length: middles }, () => random.pick(MIDDLES)).join('');
  return random.pick(OPENINGS) + middle + random.pick(CLOSINGS);
}

function numbered(random: Random): Coined {
  const word = random.chance(0.5) ? random.pick(FORE_WORDS) : coinedWord(random);
  const number = random.pick(NUMBERS);
  if (random.chance(0.4)) return { name: `${number}${word}`, words: [number, word] };
  if (random.chance(0.5)) return { name: `${word}${number}`, words: [word, number] };
  return { name: `${word} ${number}`, words: [word, number] };
}

function spaced(words: readonly string[]): Coined {
  return { name: words.join(' '), words };
}

export function companyName(random: Random, trade: Trade, crowded: boolean): Coined {
  const shape = random.next();
  const fore = crowded && random.chance(0.75) ? coinedWord(random, random.int(1, 3)) : random.pick(FORE_WORDS);
  if (shape < 0.2) {
    const aft = random.pick(AFT_WORDS);
    return { name: fore + aft, words: [fore, capital(aft)] };
  }
  if (shape < 0.34) {
    const word = crowded ? coinedWord(random, random.int(1, 3)) : coinedWord(random);
    return { name: word, words: [word] };
  }
  if (shape < 0.58) return spaced([fore, random.pick(trade.seconds)]);
  if (shape < 0.67) {
    const second = capital(random.pick(AFT_WORDS));
    return { name: fore + second, words: [fore, second] };
  }
  if (shape < 0.8) return spaced([coinedWord(random), random.pick(random.chance(0.5) ? trade.seconds : PLAIN_SECONDS)]);
  if (shape < 0.86) return numbered(random);
  if (shape < 0.92) return spaced([random.pick(MARKED_WORDS), random.pick(PLAIN_SECONDS)]);
  return spaced([fore, random.pick(FORE_WORDS), random.pick(trade.seconds)]);
}

/** Returns the same words in another spelling (joined, spaced, camel case), or null if there is none. */
export function respelt(random: Random, of: Coined): string | null {
  const [first, ...rest] = of.words;
  if (first === undefined || rest.length === 0) return null;
  const ways = [of.words.join(' '), of.words.join(''), first + rest.join('').toLowerCase()];
  const others = [...new Set(ways)].filter((way) => way !== of.name);
  return others.length === 0 ? null : random.pick(others);
}

export function personName(random: Random): string {
  const given = random.pick(GIVEN_NAMES);
  const middle = random.chance(0.06) ? `${random.pick(OPENINGS).charAt(0)}. ` : '';
  const particle = random.chance(0.14) ? random.pick(PARTICLES) : '';
  const surname = random.pick(SURNAME_FRONTS) + random.pick(SURNAME_ENDS);
  const second = random.chance(0.05) ? `-${random.pick(SURNAME_FRONTS)}${random.pick(SURNAME_ENDS)}` : '';
  return `${given} ${middle}${particle}${surname}${second}`;
}

export function investorName(random: Random): string {
  const tail = random.pick(INVESTOR_TAILS);
  const shape = random.next();
  if (shape < 0.4) return `${random.pick(FORE_WORDS)}${random.pick(AFT_WORDS)} ${tail}`;
  if (shape < 0.7) return `${coinedWord(random)} ${tail}`;
  if (shape < 0.8) return `${random.pick(FORE_WORDS)} & ${random.pick(FORE_WORDS)}`;
  if (shape < 0.88) return `${random.pick(NUMBERS)} ${random.pick(FORE_WORDS)} ${tail}`;
  return `${random.pick(FORE_WORDS)} ${random.pick(FORE_WORDS)} ${tail}`;
}

/** Returns a stream for one purpose of one entity: `nameStream(7, 'companies', 12, 0)`. */
export function nameStream(seed: number, kind: string, index: number, attempt: number): Random {
  return random(`${seed}|name|${kind}|${index}|${attempt}`);
}
