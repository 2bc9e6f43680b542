/** Two 32-bit lanes of murmur3's mixing: quick, deterministic, and 64 bits are plenty for millions of states. */
export class Hash {
  lo = 0;
  hi = 0;

  reset(lo = 0x2545f491, hi = 0x1b873593): this {
    this.lo = lo;
    this.hi = hi;
    return this;
  }

  /** Mixes in the lower 32 bits of an integer. */
  word(value: number): this {
    let k = Math.imul(value, 0xcc9e2d51);
    k = Math.imul((k << 15) | (k >>> 17), 0x1b873593);
    let lo = this.lo ^ k;
    lo = (Math.imul((lo << 13) | (lo >>> 19), 5) + 0xe6546b64) | 0;
    k = Math.imul(value ^ lo, 0x85ebca6b);
    const hi = this.hi ^ ((k << 17) | (k >>> 15));
    this.hi = (Math.imul((hi << 11) | (hi >>> 21), 9) + 0x38495ab5) | 0;
    this.lo = lo;
    return this;
  }

  number(value: number): this {
    if (Number.isInteger(value) && Math.abs(value) < 0x7fffffff) return this.word(value);
    float[0] = value;
    return this.word(1)
      .word(words[0] ?? 0)
      .word(words[1] ?? 0);
  }

  text(value: string): this {
    const length = value.length;
    this.word(length);
    for (let at = 0; at < length; at += 2) this.word(value.charCodeAt(at) | (value.charCodeAt(at + 1) << 16));
    return this;
  }

  /** For names, which recur in every run: hashed once. */
  name(value: string): this {
    let known = names.get(value);
    if (known === undefined) {
      known = finished(new Hash().reset().text(value));
      if (names.size < NAMES_MAX) names.set(value, known);
    }
    return this.word(known[0]).word(known[1]);
  }

  /** By structure; what is none of the kinds that `Operation.digest` lists counts by the name of its class. */
  value(value: unknown, depth = 0): this {
    if (typeof value === 'string') return this.word(2).text(value);
    if (typeof value === 'number') return this.word(3).number(value);
    if (typeof value === 'object' && value !== null) return this.#object(value, depth);
    return this.word(4).text(`${typeof value}${typeof value === 'function' ? '' : String(value)}`);
  }

  #object(value: object, depth: number): this {
    if (depth > DEPTH_MAX) throw new Error('A result is nested too deeply to be hashed: give its operation a digest.');
    if (value instanceof Date) return this.word(5).number(value.getTime());
    if (ArrayBuffer.isView(value)) {
      this.word(6).word(value.byteLength);
      for (const byte of new Uint8Array(value.buffer, value.byteOffset, value.byteLength)) this.word(byte);
      return this;
    }
    if (isError(value)) {
      const code = 'code' in value ? String(value.code) : '';
      return this.word(7).text(value.name).text(code).text(value.message);
    }
    if (Array.isArray(value) || value instanceof Map || value instanceof Set) {
      this.word(8);
      for (const item of value) this.value(item, depth + 1);
      return this.word(9);
    }
    this.word(10).text(value.constructor?.name ?? '');
    for (const key of Object.keys(value)) this.name(key).value(Reflect.get(value, key), depth + 1);
    return this.word(11);
  }
}

// instanceof fails for errors of another realm (Node's own under Jest).
function isError(value: object): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

const DEPTH_MAX = 16;
const NAMES_MAX = 20_000;
const names = new Map<string, readonly [number, number]>();
const float = new Float64Array(1);
const words = new Int32Array(float.buffer);

/** The two halves with every bit depending on every input. */
export function finished(hash: Hash): readonly [number, number] {
  const lo = avalanche(hash.lo ^ Math.imul(hash.hi, 0x9e3779b1));
  return [lo, avalanche(hash.hi ^ Math.imul(lo, 0x85ebca6b))];
}

function avalanche(value: number): number {
  let h = value ^ (value >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) | 0;
}
