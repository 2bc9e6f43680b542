/** A value that is JSON text already, in consecutive pieces. */
export class RawJson {
  readonly pieces: readonly string[];

  constructor(...pieces: readonly string[]) {
    this.pieces = pieces;
  }
}

/** The placeholder for a raw text. Equal texts in the data are handled below. */
const mark = '\u0000json\u0000';

/**
 * Serialises a value that may contain `RawJson`, whose text is inserted unchanged. Returns pieces, because one joined
 * string would need two bytes per character if a single record has a character beyond Latin-1.
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
  // A text in the data that equals the placeholder.
  return [
    JSON.stringify(value, (_key, part: unknown) => {
      if (!(part instanceof RawJson)) return part;
      const own: unknown = JSON.parse(part.pieces.join(''));
      return own;
    }),
  ];
}
