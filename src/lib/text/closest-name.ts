/** Maximum number of names in a message. Otherwise it has the nearest name, or the address of the list. */
const listedMax = 8;
/** Address of the documentation. */
const listing = '/docs';
/** Maximum number of characters of a wrong name in a message. */
const shownMax = 64;

/** Shortens a name from a request for messages. */
export function shownName(name: string): string {
  return Array.from(name).slice(0, shownMax).join('');
}

/** Suggests names instead of an unknown one: the nearest, all of a few, or the address of the list. */
export function insteadOf(given: string, known: readonly string[], what: string): string {
  const near = closestName(given, known);
  if (near !== null) return `: did you mean "${near}"?`;
  return known.length > listedMax ? `: ${listing} lists the ${what}` : `, the ${what} are ${known.join(', ')}`;
}

/** Describes the problem with a value that is not allowed. */
export function noneOf(given: unknown, allowed: readonly string[]): string {
  const near = typeof given === 'string' ? closestName(given, allowed) : null;
  const hint = near === null ? '' : `: did you mean "${near}"?`;
  if (allowed.length <= listedMax) return `must be ${oneOfText(allowed)}${hint}`;
  return `must be one of the values that ${listing} lists${hint}`;
}

export function oneOfText(allowed: readonly string[]): string {
  return allowed.length === 1 ? `${allowed[0]}` : `one of ${allowed.join(', ')}`;
}

/** Maximum length of a name that is compared, which limits the work. */
const lengthMax = 40;
/** Number of letters per wrong letter that is allowed, and the maximum number of wrong letters. */
const lettersPerSlip = 3;
const slipsMax = 3;

/**
 * Returns the known name that was most likely meant, or null. A name is near if it differs only in case, separators or
 * one letter in three (wrong, missing, doubled or swapped). Among equally near names, the first is chosen, preferably with
 * the same leading hyphen.
 */
export function closestName(given: string, known: readonly string[]): string | null {
  const wanted = plain(given);
  if (wanted === '' || wanted.length > lengthMax) return null;
  let best: string | null = null;
  let fewest = Number.POSITIVE_INFINITY;
  const isUnlike = (name: string): number => Number(name.startsWith('-') !== given.startsWith('-'));
  for (const name of known.toSorted((a, b) => isUnlike(a) - isUnlike(b))) {
    const other = plain(name);
    const allowed = Math.min(slipsMax, Math.floor(Math.max(wanted.length, other.length) / lettersPerSlip));
    const edits = editsBetween(wanted, other, Math.min(allowed, fewest - 1));
    if (edits !== null) [best, fewest] = [name, edits];
  }
  return best;
}

/** Normalizes a name: `foundedFrom`, `Founded-From` and `founded_from` are equal. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

/** Returns the edit distance (optimal string alignment), or null if it is more than allowed. */
function editsBetween(one: string, other: string, allowed: number): number | null {
  if (Math.abs(one.length - other.length) > allowed) return null;
  const beyond = allowed + 1;
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at += 1) {
    const next = new Array<number>(other.length + 1).fill(beyond);
    next[0] = at;
    for (let to = Math.max(1, at - allowed); to <= Math.min(other.length, at + allowed); to += 1) {
      let edits = (row[to - 1] ?? beyond) + (one[at - 1] === other[to - 1] ? 0 : 1);
      edits = Math.min(edits, (row[to] ?? beyond) + 1, (next[to - 1] ?? beyond) + 1);
      if (one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1])
        edits = Math.min(edits, (before[to - 2] ?? beyond) + 1);
      next[to] = edits;
    }
    [before, row] = [row, next];
  }
  const edits = row[other.length] ?? beyond;
  return edits <= allowed ? edits : null;
}
