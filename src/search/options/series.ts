import type { z } from 'zod';
import { eventRecord } from '../../kinds/events.ts';
import type { KindName } from '../../kinds/kind.ts';
import { fold, wordSet } from '../questions/words.ts';

// Recognises names of one series of events, such as "ETHDenver 2023", "ETHDenver '24" and "ETHDenver".

/** A word of a name with its surroundings. */
interface Word {
  readonly text: string;
  readonly before: string;
  readonly after: string;
}

const months = wordSet('january february march april may june july august september october november december');
/** Words with other meanings, which are months next to a number or at an end of the name. */
const ambiguousMonths = wordSet('march may');
/** Words that are months only next to a number. */
const shortMonths = wordSet('jan feb mar apr jun jul aug sep sept oct nov dec');
const seasons = wordSet('spring summer autumn fall winter q1 q2 q3 q4');
const editionWords = wordSet('first second third fourth fifth sixth seventh eighth ninth tenth annual edition');
/** Words that precede the number of an edition. */
const labels = wordSet('no nr number vol volume part pt episode ep season');
/** Words whose numbers name a subject, not an edition. */
const numbered = wordSet('web layer top erc eip bip');

const year = /^(?:19\d|20[0-3])\d$/;
const date = /^(?:\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{1,2}\.(?:\d{2}|\d{4}))$/;
const ordinal = /^\d{1,3}(?:st|nd|rd|th)$/;
const number = /^(?:\d{1,3}|v\d{1,2})$/;
const roman = /^x{0,3}(?:ix|iv|v?i{0,3})$/;
/** "ETHKL2024". After more letters than in "L2", a year may also have two digits. */
const gluedYear = /^([\p{L}\p{M}]{2,})(?:19\d|20[0-3])\d$/u;
const gluedShortYear = /^([\p{L}\p{M}]{3,})[1-3]\d$/u;

/**
 * Returns a key that the names of all editions of one series share, and hardly any other name: without years, ordinals,
 * numbers of editions, months, case, accents, punctuation and spaces. Places stay, because other cities' events are
 * other events, and so do numbers of a name ("Web 3", "TOKEN2049", "0x"). If nothing would be left, the whole name
 * stays.
 */
export function seriesOf(name: string): string {
  const words = wordsOf(name.normalize('NFKC'));
  const kept: string[] = [];
  let nextIsMark = false;
  // From the end: the word before a mark of an edition may be one itself, as in "Devcon 7 2024".
  for (let at = words.length - 1; at >= 0; at -= 1) {
    nextIsMark = isEditionMark(words, at, nextIsMark);
    if (!nextIsMark) kept.push(withoutYear(textAt(words, at)));
  }
  const left = kept.length > 0 ? kept.reverse() : words.map(({ text }) => text);
  const key = fold(left.length > 0 ? left.join('') : name).trim();
  // Some Arabic letters decompose into a blank with marks.
  return key === '' ? name.toLowerCase() : key;
}

function wordsOf(name: string): readonly Word[] {
  const found = [...name.matchAll(/\d{4}-\d{2}-\d{2}|\d+(?:\.\d+)+|[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu)];
  return found.map(({ 0: text, index }, at) => {
    const [last, next] = [found[at - 1], found[at + 1]];
    return {
      text,
      before: name.slice(last === undefined ? 0 : last.index + last[0].length, index),
      after: name.slice(index + text.length, next?.index),
    };
  });
}

/** In lower case; '' if there is no word. */
function textAt(words: readonly Word[], at: number): string {
  return words[at]?.text.toLowerCase() ?? '';
}

/** Returns true if a word names an edition, given the words around it. */
function isEditionMark(words: readonly Word[], at: number, nextIsMark: boolean): boolean {
  const [last, text, next] = [textAt(words, at - 1), textAt(words, at), textAt(words, at + 1)];
  const word = words[at];
  if (word === undefined) return false;
  if (isMarkByItself(text)) return true;
  const closes = next === '' || nextIsMark || !joining.test(word.after);
  if (isMonth(text)) return isNumeral(last) || isNumeral(next) || (closes && months.has(text));
  if (seasons.has(text)) return year.test(last) || year.test(next);
  if (labels.has(text)) return number.test(next) || isRoman(words[at + 1]?.text ?? '');
  if (!number.test(text) && !isRoman(word.text)) return false;
  if (announcing.test(word.before) || isMonth(last) || isMonth(next) || labels.has(last)) return true;
  // Otherwise, the number counts something: "5 steps", "DeFi 4 everyone".
  return at > 0 && closes && !numbered.has(last);
}

function isMarkByItself(text: string): boolean {
  return (
    year.test(text) ||
    date.test(text) ||
    ordinal.test(text) ||
    editionWords.has(text) ||
    (months.has(text) && !ambiguousMonths.has(text))
  );
}

const isMonth = (text: string): boolean => months.has(text) || shortMonths.has(text);
const isNumeral = (text: string): boolean => year.test(text) || ordinal.test(text) || /^\d{1,2}$/.test(text);

/** Returns true for Roman numerals. A single letter must be a capital. */
function isRoman(text: string): boolean {
  return text !== '' && (text.length > 1 || text === text.toUpperCase()) && roman.test(text.toLowerCase());
}

/** The text before the numbers in "#7" and "'24". */
const announcing = /[#'’‘`]\s*$/;
/** The text between words that belong together: "24-hour" and "10% off", but not "Meetup 7 - Berlin". */
const joining = /^(?:\s+|[-'’.&+]|%.*)$/s;

function withoutYear(text: string): string {
  const [, named] = gluedYear.exec(text) ?? gluedShortYear.exec(text) ?? [];
  return named === undefined || numbered.has(named) ? text : named;
}

/** The properties by which a page's results can be collapsed. */
export const collapseNames = ['series'] as const;
export type CollapseName = (typeof collapseNames)[number];

/** Kinds whose entities are held again and again under the same name. */
export const seriesKinds: readonly KindName[] = ['events'];

/** The shown parts of an event that another edition of its series represents. */
export const edition = eventRecord.pick({ id: true, name: true, slug: true, year: true, start_date: true });
export type Edition = z.infer<typeof edition>;

/** The document's fields that this needs, in addition to the shown ones. */
export const editionFields = Object.keys(edition.shape);

/**
 * Returns one item per series of the page's events, at the position of its first event. Others of the series are its
 * `editions`, the newest first.
 */
export function collapseSeries<Item extends object>(
  lines: readonly { readonly kind: KindName; readonly item: Item; readonly source: object }[],
): (Item & { readonly editions?: readonly Edition[] })[] {
  const behind = new Map<string, Edition[]>();
  const items = lines.flatMap(({ kind, item, source }) => {
    if (!seriesKinds.includes(kind)) return [item];
    // A document may have more fields.
    const event = edition.strip().parse(source);
    const series = seriesOf(event.name);
    const others = behind.get(series);
    others?.push(event);
    if (others !== undefined) return [];
    const editions: Edition[] = [];
    behind.set(series, editions);
    return [{ ...item, editions }];
  });
  for (const editions of behind.values()) editions.sort(byNewestFirst);
  return items;
}

/** Editions without a known year come last. */
function byNewestFirst(one: Edition, other: Edition): number {
  const [a, b] = [beginningOf(one), beginningOf(other)];
  return a === b ? other.id - one.id : a < b ? 1 : -1;
}

function beginningOf({ start_date, year }: Edition): string {
  return start_date ?? (year === null ? '' : String(year).padStart(4, '0'));
}
