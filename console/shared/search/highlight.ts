/** A part of a text; `marked` parts are matches. */
export interface TextPiece {
  readonly text: string;
  readonly marked: boolean;
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Reads a fragment of the API: text escaped for HTML with the matches in `<em>`. Anything else that looks like HTML stays
 * the text that it is.
 */
export function parseHighlight(fragment: string): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let marked = false;
  for (const part of fragment.split(/(<\/?em>)/)) {
    if (part === '<em>' || part === '</em>') marked = part === '<em>';
    else if (part !== '') pieces.push({ text: unescapeHtml(part), marked });
  }
  return pieces;
}

function unescapeHtml(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi, (whole, hex, decimal, name) => {
    if (typeof name === 'string') return named[name.toLowerCase()] ?? whole;
    const code = typeof hex === 'string' ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** Returns a fragment without its marks. */
export function plainText(fragment: string): string {
  return parseHighlight(fragment)
    .map(({ text }) => text)
    .join('');
}
