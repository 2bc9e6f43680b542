import fc from 'fast-check';

const surrogates = { from: 0xd800, count: 0x800 };

/** One character of any code point, for `fc.string({ unit })`: fast-check's own `binary` prepares for a second. */
export const codePoint = fc
  .integer({ min: 0, max: 0x10ffff - surrogates.count })
  .map((at) => String.fromCodePoint(at < surrogates.from ? at : at + surrogates.count));
