/** A value that is there as JSON text already, in pieces that stand one behind the other. */
export class RawJson {
  readonly pieces: readonly string[];

  constructor(...pieces: readonly string[]) {
    this.pieces = pieces;
  }
}

/** The placeholder for a raw text; its form from `JSON.stringify` is distinguished from texts below. */
const mark = '\u0000json\u0000';

/**
 * `JSON.stringify` for values that may hold a `RawJson`, which is neither parsed nor serialised again. Returns pieces:
 * joined as strings, a hundred records would all become wide for the one that has a character beyond Latin.
 */
export function stringifyPieces(value: unknown): readonly string[] {
  const texts: RawJson[] = [];
  const outline = JSON.stringify(value, (_key, part: unknown) => {
    if (!(part instanceof RawJson)) return part;
    texts.push(part);
    return mark;
  });
  const [first = '', ...rest] = outline.split(JSON.stringify(mark));
  if (rest.length === texts.length) return [first, ...rest.flatMap((part, at) => [...(texts[at]?.pieces ?? []), part])];
  // A text in the data equals the placeholder.
  return [
    JSON.stringify(value, (_key, part: unknown) => {
      if (!(part instanceof RawJson)) return part;
      const own: unknown = JSON.parse(part.pieces.join(''));
      return own;
    }),
  ];
}
