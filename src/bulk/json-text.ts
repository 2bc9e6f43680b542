/** A value that is there as JSON text already. */
export class JsonText {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/** Stands for a text until it is put in; what `JSON.stringify` makes of it is told apart from texts below. */
const mark = '\u0000json\u0000';

/** `JSON.stringify` for values that may hold a `JsonText`, which is neither read nor written anew. */
export function jsonOf(value: unknown): string {
  const texts: string[] = [];
  const outline = JSON.stringify(value, (_key, part: unknown) => {
    if (!(part instanceof JsonText)) return part;
    texts.push(part.json);
    return mark;
  });
  const [first = '', ...rest] = outline.split(JSON.stringify(mark));
  if (rest.length === texts.length) return rest.reduce((json, part, at) => json + texts[at] + part, first);
  // Somebody's own text reads like the mark.
  return JSON.stringify(value, (_key, part: unknown) => (part instanceof JsonText ? JSON.parse(part.json) : part));
}
