import type { Random } from '../../sample/random.ts';

/** A way in which people get words wrong; null where the word gives no occasion for it. */
type Slip = (word: string, random: Random) => string | null;

const keyboard = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];

function neighbourKeys(letter: string): string[] {
  return keyboard.flatMap((row, y) => {
    const x = row.indexOf(letter);
    if (x === -1) return [];
    return [row[x - 1], row[x + 1], keyboard[y - 1]?.[x], keyboard[y + 1]?.[x]].flatMap((key) => key ?? []);
  });
}

const neighbourKey: Slip = (word, random) => {
  const at = random.int(0, word.length - 1);
  const keys = neighbourKeys(word[at] ?? '');
  return keys.length === 0 ? null : `${word.slice(0, at)}${random.pick(keys)}${word.slice(at + 1)}`;
};

const swapped: Slip = (word, random) => {
  const at = random.int(0, word.length - 2);
  return `${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`;
};

const dropped: Slip = (word, random) => {
  const at = random.int(1, word.length - 1);
  return word.slice(0, at) + word.slice(at + 1);
};

const doubled: Slip = (word, random) => {
  const at = random.int(0, word.length - 1);
  return word.slice(0, at) + (word[at] ?? '') + word.slice(at);
};

const added: Slip = (word, random) => {
  const at = random.int(1, word.length);
  const letter = random.pick(Array.from('aeiorstnl'));
  return word.slice(0, at) + letter + word.slice(at);
};

/** Spellings of one sound, each for the other. */
const sounds = [
  ['ph', 'f'],
  ['ck', 'k'],
  ['c', 'k'],
  ['c', 's'],
  ['s', 'z'],
  ['x', 'ks'],
  ['y', 'i'],
  ['ie', 'ei'],
  ['ee', 'ea'],
  ['oo', 'u'],
  ['ou', 'ow'],
  ['er', 'or'],
  ['ar', 'er'],
  ['ai', 'ay'],
  ['qu', 'kw'],
  ['wh', 'w'],
  ['th', 't'],
  ['ance', 'ence'],
  ['able', 'ible'],
  ['tion', 'sion'],
  ['j', 'g'],
  ['v', 'w'],
  ['a', 'e'],
  ['e', 'i'],
] as const;

const bySound: Slip = (word, random) => {
  const fitting = sounds.flatMap(([a, b]) => [
    ...(word.includes(a) ? [[a, b] as const] : []),
    ...(word.includes(b) ? [[b, a] as const] : []),
  ]);
  const doubles = /([b-df-hj-np-tv-z])\1/.exec(word);
  if (doubles !== null && random.chance(0.5)) return word.replace(doubles[0], doubles[0][0] ?? '');
  if (fitting.length === 0) return null;
  const [from, to] = random.pick(fitting);
  return word.replace(from, to);
};

const single = /([b-df-hj-np-tv-z])(?=[aeiou])/g;
const consonantDoubled: Slip = (word, random) => {
  const inside = [...word.matchAll(single)].filter(({ index }) => index > 0 && word[index - 1] !== word[index]);
  if (inside.length === 0) return null;
  const { index } = random.pick(inside);
  return word.slice(0, index) + (word[index] ?? '') + word.slice(index);
};

const slips: Readonly<Record<'keys' | 'sound', readonly Slip[]>> = {
  keys: [neighbourKey, swapped, swapped, dropped, dropped, doubled, added],
  sound: [bySound, bySound, consonantDoubled],
};

/**
 * Gets the longest word of a name wrong once, as fingers do or as ears do.
 * @returns null where nothing can be got wrong that way
 */
export function misspell(name: string, way: keyof typeof slips, random: Random): string | null {
  const words = name.toLowerCase().split(' ');
  const at = words.indexOf(words.reduce((a, b) => (b.length > a.length ? b : a), ''));
  const word = words[at] ?? '';
  if (!/^[a-z]{5,}$/.test(word)) return null;
  const wrong = random.pick(slips[way])(word, random);
  return wrong === null || wrong === word ? null : words.with(at, wrong).join(' ');
}
